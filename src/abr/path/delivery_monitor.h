#pragma once

#include <optional>

#include "abr/observation.h"
#include "abr/path/delivery_history.h"
#include "base/units.h"

namespace abr {

/// The rate at which a connection delivers while data waits in the path or in TCP. Rates are TCP
/// payload. No I/O, no clock.
class DeliveryMonitor {
 public:
  /// The other estimators' view of the path.
  struct Belief {
    base::BitRate capacity;  ///< 0 if unknown
    base::Duration base_rtt{};
    double jitter = 0;             ///< seconds: variation of ACK times on an idle path
    base::Time newest_evidence{};  ///< CapacityEstimator::newest_evidence
  };

  /// The receiver held the outstanding data back: it says nothing about the path.
  void forget();

  /// The delivery rate while data is overdue. A base RTT after a snapshot, all data that was
  /// outstanding then should have arrived, except for the newest write's bytes that the path still
  /// carries. Otherwise the path has become slower and busy: it carries what it delivered lately.
  /// 0 when nothing is overdue, or when that is unknown.
  base::BitRate drain_rate(const Observation& observation, const Belief& belief, base::Time now);
  /// The rate of the last 150 ms if the path has been busy for longer than a frame and no frame has
  /// shown its capacity since; nullopt otherwise. Call after drain_rate().
  std::optional<base::BitRate> proven_rate(const Observation& observation, const Belief& belief,
                                           base::Time now) const;
  bool busy() const { return busy_since_.has_value(); }

  void add(const Observation& observation, base::Time now);

  /// bit/s over the last half second; nullopt when no snapshot is that old, or when it is older
  /// than `since`.
  std::optional<double> long_term_rate(const Observation& observation, base::Time since,
                                       base::Time now) const;
  /// The rate that the congestion window or pacing allows while TCP holds data back; 0 when it does
  /// not hold data back.
  base::BitRate cwnd_rate(const Observation& observation, base::BitRate capacity, base::Time now);
  base::Time held_back_at() const { return held_back_at_; }  ///< when TCP last held data back

  /// Bytes that were in flight at `time`, or about to be; nullopt when that is too long ago.
  std::optional<base::ByteCount> outstanding_at(base::Time time) const;

 private:
  double overdue(const DeliveryHistory::Snapshot& snapshot, const Observation& observation,
                 const Belief& belief, base::Time now) const;
  base::BitRate delivered_since(base::Time time, const Observation& observation,
                                base::BitRate capacity, base::Time now) const;

  DeliveryHistory history_;
  std::optional<base::Time> busy_since_;  ///< since when data has been overdue
  base::Time held_back_at_{};
};

}  // namespace abr
