#pragma once

#include <array>
#include <cstddef>

#include "base/units.h"

namespace abr {

/// The capacity that the newest trains show. Single trains are off where acknowledgements come
/// bunched or late; their sums are not, for what one misses the next one has. Trains before a gap
/// of kGap are forgotten: the path may be another. Pure.
class PacketTrainEstimator {
 public:
  /// `congested`: something waited before the train; then two slow ones are believed at once.
  void add(base::Time at, double bits, double seconds, bool congested);
  /// The path has become another.
  void forget() { count_ = 0; }
  double bps() const { return bps_; }  ///< 0: unknown
  /// The newest are alike: nobody else's packets come between.
  bool agree() const;

 private:
  struct Train {
    double bits = 0;
    double seconds = 0;
    double bps() const { return bits / seconds; }
  };
  static constexpr std::size_t kTrains = 8;
  static constexpr std::size_t kNewest = 5;

  const Train& newest(std::size_t i) const { return trains_[(count_ - 1 - i) % kTrains]; }
  double estimate(bool congested) const;

  std::array<Train, kTrains> trains_{};  ///< ring
  std::size_t count_ = 0;
  base::Time newest_at_{};
  double bps_ = 0;
};

}  // namespace abr
