#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "abr/observation.h"
#include "abr/path/base_rtt_shift.h"
#include "abr/path/cross_traffic.h"
#include "abr/path/delivery_history.h"
#include "abr/path/packet_train_estimator.h"
#include "abr/path/policer.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// What one viewer's path carries, and what waits before it, from what is observed of a sender that
/// is limited by its application nearly always. Pure.
///
///   trains     head and tail of a frame, acknowledged apart (Jain and Routhier 1986; Dovrolis,
///              Ramanathan and Moore 2004): the capacity, as soon as one frame has passed
///   frames   size over time from departure to acknowledgement, less the round trip (SQP: Ray et
///              al. 2022): the path carries at least that
///   delivery   what was under way a round trip ago and has not arrived: the path has become
///              slower, and what arrives meanwhile is its rate
///
/// Frames that met a loss do not count: a hole holds acknowledgements back, and its repair
/// releases many at once. Nor do those that the viewer's own window held back.
class PathModel {
 public:
  void update(const Observation& observation, base::Time now);
  const PathState& state() const { return state_; }

 private:
  struct Spacing {
    base::Time acked{};
    bool after_wait = false;  ///< the frame had to wait for others
    bool paced = false;       ///< by TCP's own pace: the path may carry more
    double bits = 0;
    double seconds = 0;
    double bps() const { return bits / std::max(seconds, 1e-6); }
  };

  base::BitRate promised() const;
  void forget_delivery();
  void note_frame(const DeliveredFrame& frame, const Observation& observation);
  void note_waiting(const DeliveredFrame& frame, const Observation& observation);
  void note_whole(const DeliveredFrame& frame, const Observation& observation);
  double carries_at_least(const DeliveredFrame& frame, const Observation& observation,
                          double whole) const;
  void note_train(const DeliveredFrame& frame, const Observation& observation);
  void settle_doubt(const DeliveredFrame& next);
  void settle_agreement(const DeliveredFrame& next, const Observation& observation);
  void add_train(const Spacing& spacing);
  void raise_capacity(double bps);
  double believed() const;
  double own_queue(const DeliveredFrame& frame, const Observation& observation,
                   double capacity) const;
  void notice_others(const DeliveredFrame& frame, const Observation& observation);
  void measure_service(const Observation& observation, base::Time now);
  double overdue(const DeliveryHistory::Snapshot& mark, const Observation& observation,
                 base::Time now) const;
  void note_delivery(const Observation& observation, base::Time now);
  void heed_delivery(const Observation& observation, base::Time now);
  base::BitRate delivered_since(base::Time time, const Observation& observation,
                                base::Time now) const;
  void measure_allowance(const Observation& observation, base::Time now);
  void measure_backlog(const Observation& observation);

  PathState state_;
  PacketTrainEstimator trains_;
  base::Time newest_train_{};
  base::Time newest_frame_{};  ///< when it was acknowledged
  base::Time confirmed_{};     ///< a frame has agreed with the capacity
  base::Time bounded_{};       ///< a frame said that there is not much more
  base::Time lowered_at_{};    ///< the capacity, by what arrived
  base::Time highest_at_{};
  double fastest_ = 0;                  ///< bit/s: most of the capacity since least_round_trip_
  base::Duration least_round_trip_{};   ///< TCP's
  std::optional<Spacing> doubtful_;     ///< it may seem slower than the path
  std::optional<base::Time> agreeing_;  ///< acknowledged then, if not by the next one's arrival
  double waited_ = 0;                   ///< seconds, the newest frame's head
  std::array<double, 3> waits_{};       ///< ring, likewise
  std::size_t wait_count_ = 0;
  std::array<double, 3> transits_{};  ///< ring, seconds
  std::size_t transit_count_ = 0;
  double jitter_ = 0;              ///< seconds: what acknowledgements vary by while nothing waits
  std::array<double, 3> least_{};  ///< ring: bit/s that the path carries at least
  std::size_t least_count_ = 0;
  std::uint32_t retransmits_ = 0;
  base::Time calm_since_{};  ///< frames that departed before do not count
  DeliveryHistory deliveries_;
  std::optional<base::Time> busy_since_;  ///< what is due has not come
  CrossTraffic foreign_;
  base::Time noticed_at_{};  ///< when the newest frame that it was told of was acknowledged
  base::ByteCount noticed_;  ///< what had been delivered
  BaseRttShift base_rtt_shift_;
  base::Time held_at_{};  ///< TCP had more than it might send
  Policer policer_;
};

}  // namespace abr
