#pragma once

#include <cstdint>
#include <optional>

#include "abr/observation.h"
#include "base/ring.h"
#include "base/units.h"

namespace abr {

/// Tells whose queue frames wait in, by when they arrive. A path that carries only our data is busy
/// with it while frames wait. Whatever its capacity is, frame i arrives
///
///   bytes(i) / capacity  after  max(arrival(i - 1), departure(i) + base RTT)
///
/// In a queue that others fill, their packets come between our frames, and each frame waits about
/// as long as the one before. So frames arrive at the intervals at which they departed, whatever
/// their sizes are. Frames of one size that depart at regular intervals tell nothing. No I/O, no
/// clock.
class ArrivalSpacing {
 public:
  enum class Queue : std::uint8_t { kUnknown, kOurs, kOthers };

  /// The next frame whose times are known, in stream order.
  void add(const DeliveredFrame& frame, base::Duration base_rtt);
  /// The next frame met a loss, or TCP or the receiver held it back.
  void interrupt();

  /// The owner of the queue in which the newest frames waited. kUnknown if the newest did not wait.
  Queue queue() const { return queue_; }

 private:
  /// The arrival of a frame that waited, after one that waited.
  struct Arrival {
    double least = 0;    ///< bits of ours that the path has carried in `service`, at least
    double most = 0;     ///< and at most
    double service = 0;  ///< seconds in which it carried them, if it carries only ours
    double change = 0;   ///< seconds by which the frame took longer than the one before
  };

  Queue judge() const;
  double error_of_ours(double capacity) const;

  std::optional<DeliveredFrame> newest_;
  base::Ring<Arrival> arrivals_;
  Queue queue_ = Queue::kUnknown;
};

}  // namespace abr
