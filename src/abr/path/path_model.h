#pragma once

#include <cstdint>

#include "abr/observation.h"
#include "abr/path/arrival_spacing.h"
#include "abr/path/base_rtt_shift.h"
#include "abr/path/capacity_estimator.h"
#include "abr/path/cross_traffic.h"
#include "abr/path/delivery_monitor.h"
#include "abr/path/path_math.h"
#include "abr/path/policer.h"
#include "abr/path/queue_room.h"
#include "abr/path/queueing_delay.h"
#include "abr/path/reader.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// The capacity and the backlog of one viewer's path, from the observations of a sender that is
/// nearly always application-limited. A list of estimators, each with its own state, in the order
/// in which they learn from an observation. No I/O, no clock.
///
///   CleanFrames        which frames met neither a loss nor a closed receive window
///   BaseRttShift       the base RTT, if TCP's minimum was measured on another path
///   QueueingDelay      how long frames waited in the path
///   ArrivalSpacing     whose queue they waited in, by when they arrived
///   CapacityEstimator  the capacity, by packet trains and whole frames
///   CrossTraffic       whether others fill the queue
///   DeliveryMonitor    the delivery while data waits: drain rate and cwnd rate
///   Policer            token buckets
///   QueueRoom          how much of a frame a short queue holds
///   Reader             a player that reads too slowly
class PathModel {
 public:
  void update(const Observation& observation, base::Time now);
  const PathState& state() const { return state_; }

 private:
  /// A loss holds ACKs back and its repair releases many at once; a closed receive window holds
  /// data back. Frames that met either say nothing about the path.
  class CleanFrames {
   public:
    void update(const Observation& observation, base::Time now);
    bool contains(const DeliveredFrame& frame) const { return frame.departed >= since_; }

   private:
    std::uint32_t retransmits_ = 0;
    base::Time since_{};
  };

  base::Duration base_rtt(const Observation& observation) const;
  void add_frame(const DeliveredFrame& frame, const Observation& observation);
  void add_to_cross_traffic(const DeliveredFrame& frame, const Observation& observation,
                            base::Duration base_rtt);
  void update_delivery(const Observation& observation, base::Time now);
  void update_policer(const Observation& observation, base::Time now);
  base::ByteCount backlog(const Observation& observation) const;

  PathState state_;
  CleanFrames clean_frames_;
  base::Duration min_rtt_{};  ///< TCP's, of the last observation
  BaseRttShift base_rtt_shift_;
  QueueingDelay queueing_delay_;
  LastThree clean_waits_;  ///< seconds; of clean_frames_
  ArrivalSpacing arrival_spacing_;
  CapacityEstimator capacity_;
  CrossTraffic cross_traffic_;
  base::Time cross_traffic_at_{};  ///< ACK of the newest frame that cross_traffic_ has seen
  base::ByteCount delivered_;      ///< Observation::delivered at that frame
  DeliveryMonitor delivery_;
  Policer policer_;
  QueueRoom queue_room_;
  Reader reader_;
};

}  // namespace abr
