#pragma once

#include <cstdint>

#include "abr/observation.h"
#include "abr/path/path_math.h"
#include "base/units.h"

namespace abr {

/// How long frames waited in the path's queue, by the ACK of their head, or of the whole frame if
/// it was not sent as a packet train. No I/O, no clock.
class QueueingDelay {
 public:
  struct Wait {
    double beyond_rtt = 0;  ///< seconds from departure to ACK, beyond the base RTT
    double queued = 0;      ///< part of beyond_rtt that the frame's own bytes do not explain
  };

  /// `capacity`: bit/s, 0 when unknown. `backlogged`: data waits in the path, so that the wait says
  /// nothing about jitter.
  Wait add(const DeliveredFrame& frame, base::Duration base_rtt, std::uint32_t mss, double capacity,
           bool backlogged);

  double newest() const { return newest_; }  ///< seconds
  base::Duration min_of_three() const { return base::from_seconds(waits_.min()); }
  double jitter() const { return jitter_; }  ///< seconds: mean wait on an idle path
  bool empty() const { return waits_.empty(); }

 private:
  double newest_ = 0;
  LastThree waits_;
  double jitter_ = 0;
};

}  // namespace abr
