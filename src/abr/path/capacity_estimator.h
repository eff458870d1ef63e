#pragma once

#include <algorithm>
#include <optional>

#include "abr/observation.h"
#include "abr/path/packet_train_estimator.h"
#include "abr/path/path_math.h"
#include "base/units.h"

namespace abr {

/// The capacity of a path, from the frames that passed it. Rates are of TCP's payload.
///
///   trains   head and tail of a frame, acknowledged apart (Jain and Routhier 1986; Dovrolis,
///            Ramanathan and Moore 2004): the capacity, as soon as one frame has passed
///   frames   size over the time from departure to acknowledgement, less the base RTT (SQP: Ray et
///            al. 2022): the path carries at least that
class CapacityEstimator {
 public:
  /// TCP's view of the connection while a frame was sent, and what else is known of the path.
  struct Conditions {
    const Observation& tcp;
    base::Duration base_rtt{};
    double waited = 0;           ///< seconds that the frame queued (QueueingDelay)
    bool cross_traffic = false;  ///< others' packets come between ours
  };

  /// TCP has forgotten the path that its minimum RTT was of.
  void forget_fastest() { fastest_ = bps(capacity_); }
  /// The frames seen so far were held back by the receiver.
  void forget_lower_bounds() { at_least_.clear(); }

  /// A frame was acknowledged. First for every frame.
  void begin(base::Time acked);
  /// Settles the doubts that the frame before it left. Second for every frame.
  void settle(const DeliveredFrame& frame, const Conditions& conditions);
  /// Learns from a frame that met no loss and was not held back by the receiver.
  void add(const DeliveredFrame& frame, const Conditions& conditions);

  /// What arrives over half a second is a lower bound, whatever frames have shown. bit/s.
  void raise_to(double delivered) {
    if (kRaiseMargin * delivered > bps(capacity_)) raise(delivered);
  }
  /// The path has been busy, and delivers less than frames have shown.
  void lower_to(base::BitRate delivered, base::Time now);

  base::BitRate capacity() const { return capacity_; }  ///< 0: unknown
  base::BitRate highest() const { return highest_; }    ///< by packet trains, lately
  /// bit/s. The capacity, or the highest seen where no frame has agreed with it for long: cross
  /// traffic between our packets looks like a slow path.
  double trusted() const;
  /// What frames have shown lately, at least.
  base::BitRate promised(base::Time now) const;

  bool trains_agree() const { return trains_agree_; }
  bool train_recent(base::Time now) const;
  bool recent(base::Time now) const;  ///< a frame has shown the capacity, or agreed with it
  bool upper_bound_recent(base::Time now) const;
  /// When a packet train or a frame last showed the capacity, or agreed with it.
  base::Time newest_evidence() const { return std::max(newest_train_, confirmed_); }
  /// When the capacity was last set from anything but a lower bound.
  base::Time newest_setting() const { return std::max(newest_train_, lowered_at_); }

  /// The shortest of the newest three frames' times beyond the base RTT.
  base::Duration transit() const { return transit_; }

 private:
  struct Spacing {
    base::Time acked{};
    bool after_wait = false;  ///< the frame queued behind others
    bool paced = false;       ///< by TCP's own pace: the path may carry more
    double bits = 0;
    double seconds = 0;
    double bps() const { return bits / std::max(seconds, 1e-6); }
  };
  static constexpr double kRaiseMargin = 0.85;

  void settle_doubt(const DeliveredFrame& next, const Conditions& conditions);
  void settle_agreement(const DeliveredFrame& next, const Conditions& conditions);
  void add_whole(const DeliveredFrame& frame, const Conditions& conditions);
  double at_least(const DeliveredFrame& frame, std::uint32_t mss, double whole) const;
  void add_train(const DeliveredFrame& frame, const Conditions& conditions);
  void accept(const Spacing& spacing, bool cross_traffic);
  void raise(double to);

  PacketTrainEstimator trains_;
  base::BitRate capacity_;
  base::BitRate highest_;
  base::Time highest_at_{};
  bool trains_agree_ = false;
  double fastest_ = 0;  ///< bit/s: the most of the capacity since TCP's minimum RTT last grew
  LastThree at_least_;  ///< bit/s that the path carries at least
  LastThree transits_;  ///< seconds
  base::Duration transit_{};
  base::Time newest_frame_{};  ///< when it was acknowledged
  base::Time newest_train_{};
  base::Time confirmed_{};              ///< a frame has agreed with the capacity
  base::Time bounded_{};                ///< a frame showed that the path carries not much more
  base::Time lowered_at_{};             ///< by what arrived
  std::optional<Spacing> doubtful_;     ///< a train that may seem slower than the path
  std::optional<base::Time> agreeing_;  ///< a frame that agrees, unless the next one came first
};

}  // namespace abr
