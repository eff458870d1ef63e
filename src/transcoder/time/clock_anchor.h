#pragma once

#include "base/units.h"

namespace transcoder {

/// Where a source's clock lies on a clock of ours: ours = source + offset. The offset follows the
/// drift between the two slowly, so that arrival jitter does not show. Pure.
class ClockAnchor {
 public:
  /// The source's `source` is our `ours`, from now on.
  void set(base::Duration source, base::Duration ours) {
    offset_ = ours - source;
    followed_ = ours;
  }

  base::Duration place(base::Duration source) const { return source + offset_; }

  /// The source's `source` was seen at our `ours`: moves the offset towards it, by at most
  /// 500 ppm of the time since the last call. Settles on the median of the arrivals.
  void follow(base::Duration source, base::Duration ours);

 private:
  base::Duration offset_{};
  base::Duration followed_{};
};

}  // namespace transcoder
