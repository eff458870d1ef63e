#pragma once

#include "base/units.h"

namespace transcoder {

/// How long to wait before the next attempt: min, 2 min, 4 min ... max, each spread by ±25 % so
/// that many servers that lost the same source do not come back to it at the same moment. Pure.
class Backoff {
 public:
  Backoff(base::Duration min, base::Duration max) : min_{min}, max_{max}, next_{min} {}

  /// `random` is uniform in [0, 1). The result never exceeds max + 25 %.
  base::Duration next(double random);
  /// After a success: begin at min again.
  void reset() { next_ = min_; }

 private:
  const base::Duration min_;
  const base::Duration max_;
  base::Duration next_;
};

}  // namespace transcoder
