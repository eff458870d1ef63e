#pragma once

#include <algorithm>
#include <optional>

#include "abr/observation.h"
#include "abr/path/packet_train_estimator.h"
#include "abr/path/path_math.h"
#include "base/units.h"

namespace abr {

/// The capacity of a path, from the frames that passed it. Rates are TCP payload. No I/O, no clock.
///
///   trains   head and tail of a frame, acknowledged apart (Jain and Routhier 1986; Dovrolis,
///            Ramanathan and Moore 2004): the capacity, as soon as one frame has passed
///   frames   size over the time from departure to ACK, less the base RTT (SQP: Ray et al. 2022):
///            a lower bound
class CapacityEstimator {
 public:
  /// TCP's view of the connection while a frame was sent, and the state of the path.
  struct Conditions {
    const Observation& tcp;
    base::Duration base_rtt{};
    double waited = 0;           ///< seconds that the frame queued (QueueingDelay)
    bool cross_traffic = false;  ///< others' packets may come between ours
  };

  /// TCP's minimum RTT has grown: it was measured on an earlier path.
  void forget_fastest() { fastest_ = bps(capacity_); }
  /// The frames seen so far were held back by the receiver.
  void forget_lower_bounds() {
    at_least_.clear();
    lone_.reset();
  }

  /// Begins with a frame that was acknowledged. Called first for every frame.
  void begin(base::Time acked);
  /// Settles the doubts that the previous frame left. Called second for every frame.
  void settle(const DeliveredFrame& frame, const Conditions& conditions);
  /// Learns from a frame that met no loss and was not held back by the receiver.
  void add(const DeliveredFrame& frame, const Conditions& conditions);

  /// Delivery over half a second (bit/s) is a lower bound, whatever frames have shown.
  void raise_to(double delivered) {
    if (kRaiseShare * delivered > bps(capacity_)) raise(delivered);
  }
  /// The path has been busy and delivers less than frames have shown.
  void lower_to(base::BitRate delivered, base::Time now);

  base::BitRate capacity() const { return capacity_; }  ///< 0 if unknown
  base::BitRate highest() const { return highest_; }    ///< recent, by packet trains
  /// bit/s. The capacity, or the highest recent one if no frame has agreed with the capacity for
  /// long: cross traffic between our packets looks like a slow path.
  double trusted() const;
  /// Lower bound of the rate that recent frames have shown.
  base::BitRate promised(base::Time now) const;

  bool trains_agree() const { return trains_agree_; }
  bool train_recent(base::Time now) const;
  bool recent(base::Time now) const;  ///< a frame has shown the capacity, or agreed with it
  bool upper_bound_recent(base::Time now) const;
  /// When a packet train or a frame last showed the capacity, or agreed with it.
  base::Time newest_evidence() const { return std::max(newest_train_, confirmed_); }
  /// When the capacity was last set by anything but a lower bound.
  base::Time newest_setting() const { return std::max(newest_train_, lowered_at_); }

  /// The shortest of the newest three frames' times beyond the base RTT.
  base::Duration transit() const { return transit_; }

 private:
  struct Spacing {
    base::Time acked{};
    bool after_wait = false;  ///< the frame queued behind others
    bool paced = false;       ///< TCP's pacing spaced it: the path may carry more
    double bits = 0;
    double seconds = 0;
    double bps() const { return bits / std::max(seconds, 1e-6); }
  };
  /// A long-term rate raises the capacity if this share of it exceeds the capacity. Nearer to 1,
  /// bunched ACKs raise it; farther, it stays too low for longer. 0.75 and 0.95 change no mean
  /// delay by 3 % and no mean rate by 1 % (`sim_table --random 1 --count 100 --seeds 1 --policy
  /// symbiosis`, without cross traffic).
  static constexpr double kRaiseShare = 0.85;

  void check_doubtful(const DeliveredFrame& next, const Conditions& conditions);
  void check_agreement(const DeliveredFrame& next, const Conditions& conditions);
  void add_whole(const DeliveredFrame& frame, const Conditions& conditions);
  double at_least(const DeliveredFrame& frame, std::uint32_t mss, double whole) const;
  void add_train(const DeliveredFrame& frame, const Conditions& conditions);
  void add_lone(const Spacing& spacing);
  void accept(const Spacing& spacing, bool cross_traffic);
  void raise(double to);

  PacketTrainEstimator trains_;
  base::BitRate capacity_;
  base::BitRate highest_;
  base::Time highest_at_{};
  bool trains_agree_ = false;
  double fastest_ = 0;  ///< bit/s: highest capacity since TCP's minimum RTT last grew
  LastThree at_least_;  ///< bit/s: lower bounds by the newest frames
  LastThree transits_;  ///< seconds
  base::Duration transit_{};
  base::Time newest_frame_{};  ///< its ACK
  base::Time newest_train_{};
  base::Time confirmed_{};              ///< a frame agreed with the capacity
  base::Time bounded_{};                ///< a frame showed that the path carries not much more
  base::Time lowered_at_{};             ///< the delivered rate lowered the capacity
  std::optional<Spacing> doubtful_;     ///< a train that may be slower than the path
  bool follows_train_ = false;          ///< the next frame does
  std::optional<Spacing> lone_;         ///< the last paced train after a short frame
  std::optional<base::Time> agreeing_;  ///< ACK of a frame that agrees, if not the next one's
};

}  // namespace abr
