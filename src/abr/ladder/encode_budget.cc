#include "abr/ladder/encode_budget.h"

#include <algorithm>

namespace abr {

namespace {

constexpr base::Duration kWindow = std::chrono::seconds{1};
constexpr double kGain = 0.25;  // of a new window in the smoothed cost
// A frame in twenty lost is seen. An encoder that is opened may lose two of thirty, once: so two
// windows in a row.
constexpr double kLate = 0.05;
constexpr int kLateWindows = 2;
// Load that was too much for the machine lasts for minutes: a program, a scene. Trying costs the
// viewers frames, so not every few seconds.
constexpr base::Duration kFirstHold = std::chrono::seconds{30};
constexpr base::Duration kLongestHold = std::chrono::minutes{8};

/// Under the same index: a group was closed, and one opened.
bool is_another(const EncodeBudget::Encoder& now, const EncodeBudget::Encoder& last) {
  return now.frames < last.frames || now.late < last.late || now.cpu < last.cpu;
}

}  // namespace

EncodeBudget::Verdict EncodeBudget::update(std::span<const Encoder> encoders, double others,
                                           base::Time now) {
  const auto window = now - measured_;
  if (window < kWindow) return {held(others), false};
  measured_ = now;
  measure(encoders, window);
  const bool shed = is_behind(encoders.size(), now);
  return {held(others), shed};
}

void EncodeBudget::measure(std::span<const Encoder> encoders, base::Duration window) {
  double cpu = 0;
  double pixels = 0;
  double frames = 0;
  double late = 0;
  double most = 0;  // pixels that one encoder would have had to encode
  std::map<std::uint32_t, Encoder> seen;
  for (const auto& now : encoders) {
    seen[now.group] = now;
    const auto last = last_.find(now.group);
    if (last == last_.end() || is_another(now, last->second)) continue;
    const auto done = static_cast<double>(now.frames - last->second.frames);
    const auto lost = static_cast<double>(now.late - last->second.late);
    const auto size = static_cast<double>(now.pixels);
    cpu += base::seconds(now.cpu - last->second.cpu);
    frames += done;
    late += lost;
    pixels += done * size;
    most = std::max(most, (done + lost) * size);
  }
  last_ = std::move(seen);
  load_ = cpu / base::seconds(window);
  late_ = late > 0 ? late / (frames + late) : 0;
  if (pixels == 0) return;
  cost_ += (cost_ > 0 ? kGain : 1) * (cpu / pixels - cost_);
  load_of_one_ = cost_ * most / base::seconds(window);
}

bool EncodeBudget::is_behind(std::size_t groups, base::Time now) {
  late_windows_ = late_ > kLate ? late_windows_ + 1 : 0;
  if (late_windows_ >= kLateWindows && groups > 1) {
    late_windows_ = 0;
    hold_ = hold_ > base::Duration::zero() ? std::min(2 * hold_, kLongestHold) : kFirstHold;
    hold_until_ = now + hold_;
    proven_ = groups - 1;
    return true;
  }
  if (now >= hold_until_) proven_.reset();
  if (now >= hold_until_ + kLongestHold) hold_ = {};
  return false;
}

std::optional<std::size_t> EncodeBudget::held(double others) const {
  if (load_of_one_ <= 0) return proven_;
  const auto fit = static_cast<std::size_t>(std::max(1.0, (cpus_ - others) / load_of_one_));
  return proven_ ? std::min(*proven_, fit) : fit;
}

}  // namespace abr
