#include "transcoder/time/frame_interval.h"

#include <algorithm>
#include <numeric>

namespace transcoder {

namespace {

/// No camera is faster than 240 Hz; two pictures closer than that are a burst, not a rate.
constexpr base::Duration kShortest = std::chrono::nanoseconds{1'000'000'000 / 240};

/// A picture after a longer pause gets the bits of 200 ms: more would make it late by as much.
constexpr base::Duration kLongest = std::chrono::milliseconds{200};

/// Any three neighbours of a 3:2 pulldown or of a pattern like 20, 20, 60 ms hold its longest.
constexpr std::size_t kRecent = 3;

}  // namespace

base::Duration FrameInterval::update(media::Pts pts) {
  if (started_) {
    if (count_ == kWindow) {
      std::shift_left(intervals_.begin(), intervals_.end(), 1);
      --count_;
    }
    intervals_[count_++] = std::clamp<base::Duration>(pts - previous_, kShortest, kLongest);
    const auto all = last(kWindow);
    const auto mean = std::accumulate(all.begin(), all.end(), base::Duration{}) / all.size();
    estimate_ = std::min<base::Duration>(mean, std::ranges::max(last(kRecent)));
  }
  started_ = true;
  previous_ = pts;
  return estimate_;
}

std::span<const base::Duration> FrameInterval::last(std::size_t count) const {
  return std::span{intervals_}.first(count_).last(std::min(count, count_));
}

}  // namespace transcoder
