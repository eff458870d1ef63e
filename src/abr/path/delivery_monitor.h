#pragma once

#include <optional>

#include "abr/observation.h"
#include "abr/path/delivery_history.h"
#include "base/units.h"

namespace abr {

/// What a connection delivers while data waits, in the path or in TCP. Rates are of TCP's payload.
class DeliveryMonitor {
 public:
  /// What else is believed of the path.
  struct Belief {
    base::BitRate capacity;  ///< 0: unknown
    base::Duration base_rtt{};
    double jitter = 0;             ///< seconds by which acknowledgements vary on an idle path
    base::Time newest_evidence{};  ///< CapacityEstimator::newest_evidence
  };

  /// What was outstanding was held back by the receiver.
  void forget();

  /// What arrives while data is overdue: a base RTT after a snapshot all that was outstanding then
  /// has arrived, but for the newest frame's bytes that the path still carries. Otherwise the path
  /// has become slower, has been busy, and what it delivered lately is what it carries. 0: nothing
  /// is overdue, or it is not known.
  base::BitRate drain_rate(const Observation& observation, const Belief& belief, base::Time now);
  /// After drain_rate(): the rate of the last 150 ms, where the path has been busy for longer than
  /// a frame and no frame has shown its capacity since. nullopt otherwise.
  std::optional<base::BitRate> proven_rate(const Observation& observation, const Belief& belief,
                                           base::Time now) const;
  bool busy() const { return busy_since_.has_value(); }

  void add(const Observation& observation, base::Time now);

  /// bit/s over the last half second; nullopt when no snapshot is that old, or it is older than
  /// `since`.
  std::optional<double> long_term_rate(const Observation& observation, base::Time since,
                                       base::Time now) const;
  /// What the congestion window, or pacing, lets through while TCP holds data back. 0: it does not.
  base::BitRate cwnd_rate(const Observation& observation, base::BitRate capacity, base::Time now);
  base::Time held_back_at() const { return held_back_at_; }  ///< when TCP last did

  /// Bytes that were in flight at `time`, or about to be; nullopt when that is too long ago.
  std::optional<base::ByteCount> outstanding_at(base::Time time) const;

 private:
  double overdue(const DeliveryHistory::Snapshot& snapshot, const Observation& observation,
                 const Belief& belief, base::Time now) const;
  base::BitRate delivered_since(base::Time time, const Observation& observation,
                                base::BitRate capacity, base::Time now) const;

  DeliveryHistory history_;
  std::optional<base::Time> busy_since_;  ///< data has been overdue
  base::Time held_back_at_{};
};

}  // namespace abr
