#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/units.h"
#include "media/frame.h"

namespace transcoder {

/// Estimates the time between frames from the timestamps of the last frames; one frame may take the
/// rate times this. Steady under jitter and pulldown patterns. Follows a rising frame rate within 3
/// frames, because frames must then become smaller at once. No I/O, no clock.
class FrameIntervalEstimator {
 public:
  /// `nominal` is the estimate until two frames have been seen.
  explicit FrameIntervalEstimator(base::Duration nominal) : estimate_{nominal} {}

  /// Adds the next frame and returns the new estimate.
  base::Duration update(media::Pts pts);
  /// A frame after a longer pause gets the bits of 200 ms; more bits would make it late.
  static constexpr base::Duration kMaxAllottedInterval = std::chrono::milliseconds{200};
  /// Holds two periods of 3:2 pulldown and of a 5-in-6 decimation.
  static constexpr std::size_t kWindowIntervals = 12;
  /// Whether the estimate uses a full window of intervals.
  bool is_measured() const { return count_ == kWindowIntervals; }

 private:
  std::span<const base::Duration> last(std::size_t count) const;

  std::array<base::Duration, kWindowIntervals> intervals_{};  ///< the first `count_`, oldest first
  std::size_t count_ = 0;
  media::Pts previous_{};
  bool started_ = false;
  base::Duration estimate_;
};

}  // namespace transcoder
