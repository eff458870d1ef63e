#pragma once

#include <atomic>

#include "base/units.h"

namespace server {

/// How many frames of a calm viewer one write takes. One while the event loop has time; more when
/// its passes over the viewers take a large share of it, because a write costs about the same for
/// one frame as for three. Frames then arrive later, by at most kMaxDelay, and nobody loses any.
/// Belongs to a loop, used on its thread, except for used(). No clock.
class WriteMerging {
 public:
  /// The time between two writes, about; the first frame of a write waits one interval less. A bare
  /// writer takes 0.6 CPU seconds per gigabyte at 33 ms and 0.35 at 100 ms (bench/fanout); a longer
  /// time saves less than that, and conversations notice it.
  static constexpr base::Duration kMaxDelay = std::chrono::milliseconds{100};

  /// A pass over a channel's viewers has taken from `began` to `ended`.
  void passed(base::Time began, base::Time ended);

  /// Frames for one write, of a channel with a frame every `interval`; at least 1.
  unsigned frames(base::Duration interval);
  /// The most frames for one write in the last second. Thread-safe.
  unsigned used() const { return used_.load(std::memory_order_relaxed); }

 private:
  void judge(base::Time now);

  std::atomic<unsigned> used_{1};
  unsigned asked_ = 1;  ///< the most in this period
  unsigned most_ = 1;   ///< at a high frame rate
  base::Time since_{};  ///< start of the period
  base::Duration busy_{};
};

}  // namespace server
