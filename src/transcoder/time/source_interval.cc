#include "transcoder/time/source_interval.h"

#include <numeric>
#include <utility>

namespace transcoder {

namespace {

/// With fewer intervals a wobble of ±12 ms at 30 pictures per second, as cameras have it, is an
/// error of more than 5 %. With more the estimate begins later.
constexpr std::size_t kMinMeasuredIntervals = 16;
constexpr std::size_t kMaxMeasuredIntervals = 32;

/// Pictures less than 2 ms apart are a burst after a clock jump: no source has 500 per second.
constexpr base::Duration kShortestInterval = std::chrono::milliseconds{2};

/// A longer interval, in means, is a gap: pictures were lost or the source paused. A single lost
/// picture makes two, and pulldown patterns up to 1.8.
constexpr double kGapIntervals = 2.5;
/// That many gaps in a row are the intervals of a slower source.
constexpr int kMaxSuccessiveGaps = 3;

/// If the last few intervals differ from the mean by this factor, the source has a new rate. The
/// mean of 8 differs by less than 1.4 at a wobble of ±12 ms and 60 pictures per second.
constexpr std::size_t kNewRateIntervals = 8;
constexpr double kNewRateFactor = 1.5;

}  // namespace

void SourceInterval::forget_all_but(std::size_t newest) {
  while (intervals_.size() > newest) {
    sum_ -= intervals_.front();
    intervals_.pop_front();
  }
}

void SourceInterval::add(media::Pts pts) {
  const auto interval = pts - std::exchange(previous_, pts).value_or(pts);
  if (interval < kShortestInterval) return;
  if (!intervals_.empty() && base::seconds(interval) * static_cast<double>(intervals_.size()) >
                                 kGapIntervals * base::seconds(sum_)) {
    if (++gaps_ <= kMaxSuccessiveGaps) return;
    forget_all_but(0);
  }
  gaps_ = 0;
  intervals_.push_back(interval);
  sum_ += interval;
  forget_all_but(kMaxMeasuredIntervals);
  if (intervals_.size() < kMinMeasuredIntervals) return;
  const auto recent = base::seconds(std::accumulate(intervals_.end() - kNewRateIntervals,
                                                    intervals_.end(), base::Duration{})) /
                      kNewRateIntervals;
  const auto mean = base::seconds(sum_) / static_cast<double>(intervals_.size());
  if (recent > mean * kNewRateFactor || recent * kNewRateFactor < mean) {
    forget_all_but(kNewRateIntervals);
  }
}

std::optional<base::Duration> SourceInterval::measured(std::size_t intervals) const {
  if (intervals_.size() < intervals) return std::nullopt;
  return sum_ / static_cast<base::Duration::rep>(intervals_.size());
}

}  // namespace transcoder
