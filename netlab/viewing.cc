#include "netlab/viewing.h"

#include <algorithm>

namespace netlab {
namespace {

double in_seconds(Ticks ticks) {
  return static_cast<double>(ticks) / static_cast<double>(kTicksPerSecond);
}

Ticks median(std::vector<Ticks> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

void Viewing::add(const Picture& picture) { pictures_.push_back(picture); }

Viewing::State Viewing::state() const {
  State state{.pictures = pictures_.size()};
  if (pictures_.empty()) return state;
  std::vector<Ticks> steps;
  base::Duration longest_wait{};
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    state.keyframes += pictures_[i].keyframe;
    state.picture_bytes += pictures_[i].bytes;
    if (i == 0) continue;
    steps.push_back(pictures_[i].pts - pictures_[i - 1].pts);
    longest_wait = std::max(longest_wait, pictures_[i].arrival - pictures_[i - 1].arrival);
  }
  const Ticks interval = median(steps);
  state.gaps = static_cast<std::uint64_t>(
      std::ranges::count_if(steps, [&](Ticks step) { return 2 * step > 3 * interval; }));
  state.repeats = static_cast<std::uint64_t>(
      std::ranges::count_if(steps, [](Ticks step) { return step <= 0; }));
  state.interval_s = in_seconds(interval);
  state.media_s = in_seconds(pictures_.back().pts - pictures_.front().pts);
  state.longest_wait_s = base::seconds(longest_wait);
  state.first_arrival = pictures_.front().arrival;
  return state;
}

}  // namespace netlab
