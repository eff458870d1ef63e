#include "transcoder/time/loop_time.h"

#include <algorithm>

namespace transcoder {

namespace {

/// The last picture of a slide show need not stand longer before the next round.
constexpr base::Duration kLongestFrame = std::chrono::seconds{1};

}  // namespace

base::Duration LoopTime::picture(base::Duration time) {
  const bool first = !origin_;
  if (first) origin_ = time;
  const auto place = start_ + time - *origin_;
  if (!first && place > last_) frame_ = std::min(place - last_, kLongestFrame);
  last_ = place;
  return place;
}

std::optional<base::Duration> LoopTime::audio(base::Duration time) const {
  if (!origin_) return std::nullopt;
  return start_ + time - *origin_;
}

void LoopTime::next_round() {
  if (origin_) start_ = last_ + frame_;
  origin_.reset();
}

}  // namespace transcoder
