#pragma once

#include <array>
#include <cstddef>

#include "base/units.h"

namespace abr {

/// The capacity that the newest packet trains show. A single train is wrong when its ACKs are
/// bunched or late; the sum of several is right, because the next train has the time that one
/// misses. A gap of kMaxEvidenceGap between trains discards the earlier ones. No I/O, no clock.
class PacketTrainEstimator {
 public:
  /// `congested`: the train queued behind other data. Two slow trains in a row, the second of them
  /// congested, lower the capacity at once.
  void add(base::Time at, double bits, double seconds, bool congested);
  /// The earlier trains say nothing about the path any more.
  void forget() { count_ = 0; }
  double bps() const { return bps_; }  ///< 0 if unknown
  /// The newest trains show about the same rate: no cross traffic comes between their packets.
  bool agree() const;

 private:
  struct Train {
    double bits = 0;
    double seconds = 0;
    double bps() const { return bits / seconds; }
  };
  /// Trains that are summed up while they differ. Fewer do not even out bunched ACKs (4: p99 of
  /// sim_table's `bucket` is 9 % longer), more follow a change later (16: rates return 1.5 s later
  /// next to cross traffic).
  static constexpr std::size_t kMaxTrains = 8;
  /// Newest trains that have to show the same rate in order to agree. With 3, rates stay at a
  /// capacity that is too low and are 1.4 % lower (sim_table --random 1 --count 100, without cross
  /// traffic); with 8, p95 of `own` is 8 % longer.
  static constexpr std::size_t kAgreeingTrains = 5;

  const Train& newest(std::size_t i) const { return trains_[(count_ - 1 - i) % kMaxTrains]; }
  double estimate(bool congested) const;

  std::array<Train, kMaxTrains> trains_{};  ///< ring
  std::size_t count_ = 0;
  base::Time newest_at_{};
  double bps_ = 0;
};

}  // namespace abr
