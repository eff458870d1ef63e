#pragma once

#include "base/units.h"

namespace transcoder {

/// Maps a source's clock to a clock of ours: ours = source + offset. The offset follows the drift
/// between the clocks slowly, so that arrival jitter does not show. No I/O, no clock.
class ClockAnchor {
 public:
  /// Maps `source` to `ours` from now on.
  void set(base::Duration source, base::Duration ours) {
    offset_ = ours - source;
    followed_ = ours;
  }

  /// The time on our clock.
  base::Duration place(base::Duration source) const { return source + offset_; }

  /// Reports that `source` arrived at `ours`. Moves the offset towards it by at most 500 ppm of the
  /// time since the last call, and so settles on the median of the arrivals.
  void follow(base::Duration source, base::Duration ours);

 private:
  base::Duration offset_{};
  base::Duration followed_{};  ///< latest `ours`
};

}  // namespace transcoder
