#include "transcoder/time/frame_interval_estimator.h"

#include <algorithm>
#include <numeric>

namespace transcoder {

namespace {

/// No camera is faster than 240 Hz; two frames closer than that are a burst, not a rate.
constexpr base::Duration kMinInterval = std::chrono::nanoseconds{1'000'000'000 / 240};

/// Any three successive intervals of 3:2 pulldown, or of a pattern like 20, 20, 60 ms, include the
/// longest one. More would follow a faster source later.
constexpr std::size_t kRecentIntervals = 3;

}  // namespace

base::Duration FrameIntervalEstimator::update(media::Pts pts) {
  if (started_) {
    if (count_ == kWindowIntervals) {
      std::shift_left(intervals_.begin(), intervals_.end(), 1);
      --count_;
    }
    intervals_[count_++] =
        std::clamp<base::Duration>(pts - previous_, kMinInterval, kMaxAllottedInterval);
    const auto all = last(kWindowIntervals);
    const auto mean = std::accumulate(all.begin(), all.end(), base::Duration{}) / all.size();
    estimate_ = std::min<base::Duration>(mean, std::ranges::max(last(kRecentIntervals)));
  }
  started_ = true;
  previous_ = pts;
  return estimate_;
}

std::span<const base::Duration> FrameIntervalEstimator::last(std::size_t count) const {
  return std::span{intervals_}.first(count_).last(std::min(count, count_));
}

}  // namespace transcoder
