#pragma once

#include <cstdint>

#include "abr/observation.h"
#include "abr/path/base_rtt_shift.h"
#include "abr/path/capacity_estimator.h"
#include "abr/path/cross_traffic.h"
#include "abr/path/delivery_monitor.h"
#include "abr/path/policer.h"
#include "abr/path/queueing_delay.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// What one viewer's path carries and what waits before it, from the observations of a sender that
/// is nearly always limited by its application. A list of estimators, each with its own state, in
/// the order in which they learn from an observation. No I/O, no clock.
///
///   CleanFrames        which frames met neither a loss nor a closed receive window
///   BaseRttShift       the base RTT, where TCP's minimum is of another path
///   QueueingDelay      how long frames waited in the path
///   CapacityEstimator  the capacity, by packet trains and whole frames
///   CrossTraffic       whether others fill the queue
///   DeliveryMonitor    what arrives while data waits: drain rate and cwnd rate
///   Policer            token buckets
class PathModel {
 public:
  void update(const Observation& observation, base::Time now);
  const PathState& state() const { return state_; }

 private:
  /// A hole holds acknowledgements back and its repair releases many at once, and a viewer's closed
  /// receive window holds data back: frames that met either say nothing of the path.
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
  base::Duration min_rtt_{};  ///< TCP's
  BaseRttShift base_rtt_shift_;
  QueueingDelay queueing_delay_;
  CapacityEstimator capacity_;
  CrossTraffic cross_traffic_;
  base::Time cross_traffic_at_{};  ///< when the newest frame that it has seen was acknowledged
  base::ByteCount delivered_;      ///< Observation::delivered then
  DeliveryMonitor delivery_;
  Policer policer_;
};

}  // namespace abr
