#pragma once

#include "abr/observation.h"
#include "base/units.h"

namespace abr {

/// Whether the rate before the last step has arrived. Next to cross traffic, a higher rate wins
/// more of the queue, and so arrives; on a path that is ours alone and slower than the rate, it
/// only makes the queue longer. No I/O, no clock.
class ArrivalCheck {
 public:
  /// `rate`: video rate since the last step. Call it a round trip or a little more after that step:
  /// data that arrives in this time was sent before it.
  bool passes(const Observation& observation, base::BitRate rate, base::Time now);

 private:
  base::BitRate before_;  ///< video rate before the last step
  base::Time since_{};
  base::ByteCount delivered_;
};

}  // namespace abr
