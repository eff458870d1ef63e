#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/units.h"
#include "media/frame.h"

namespace transcoder {

/// Estimates the time between a source's pictures from their timestamps: the mean of the last 16 to
/// 32 intervals. A wobble of the timestamps by ±w puts it off by 2 w / 16 at most, and 2 w / 32 in
/// the long run. Single gaps do not count; a new rate does after 16 pictures. Unlike
/// FrameIntervalEstimator it is unbiased, and slow to follow. No I/O, no clock.
class SourceInterval {
 public:
  /// Adds the next picture; `pts` must increase.
  void add(media::Pts pts);
  /// nullopt before `intervals` intervals, at most 32.
  std::optional<base::Duration> measured(std::size_t intervals = 16) const;

 private:
  void forget_all_but(std::size_t newest);

  std::optional<media::Pts> previous_;
  std::deque<base::Duration> intervals_;
  base::Duration sum_{};  ///< of intervals_
  int gaps_ = 0;          ///< in a row
};

}  // namespace transcoder
