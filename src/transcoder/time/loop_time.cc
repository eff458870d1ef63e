#include "transcoder/time/loop_time.h"

#include <algorithm>

namespace transcoder {

namespace {

/// Limit for how long the last picture stays before the next round; a slide show's picture interval
/// may be minutes.
constexpr base::Duration kMaxLastPicture = std::chrono::seconds{1};

}  // namespace

base::Duration LoopTime::picture(base::Duration time) {
  const bool first = !origin_;
  if (first) origin_ = time;
  const auto place = start_ + time - *origin_;
  if (!first && place > last_) frame_ = std::min(place - last_, kMaxLastPicture);
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
