#pragma once

#include "base/units.h"

namespace transcoder {

/// The wait before each attempt: min, 2 * min, 4 * min ... max, each with ±25 % jitter, so that
/// many servers that lost the same source do not reconnect at the same moment. A source that has
/// played for at least min is tried again after min: back-off is for one that does not work. No
/// I/O, no clock.
class Backoff {
 public:
  Backoff(base::Duration min, base::Duration max) : min_{min}, max_{max}, next_{min} {}

  /// The wait after an attempt that has `played`, at most max + 25 %. `random` is uniform in
  /// [0, 1).
  base::Duration next(base::Duration played, double random);

 private:
  const base::Duration min_;
  const base::Duration max_;
  base::Duration next_;
};

}  // namespace transcoder
