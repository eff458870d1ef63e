#include "abr/path/packet_train_estimator.h"

#include <algorithm>

namespace abr {

namespace {

constexpr double kFastest = 1e9;    // bit/s: what is acknowledged at once
constexpr double kAgreement = 1.3;  // between three trains
constexpr double kAlike = 1.1;
constexpr base::Duration kGap = std::chrono::seconds{3};
constexpr double kFall = 0.7;  // two trains below it of the capacity: it has fallen

}  // namespace

void PacketTrainEstimator::add(base::Time at, double bits, double seconds, bool congested) {
  if (bits <= 0) return;
  if (at - newest_at_ > kGap) count_ = 0;
  newest_at_ = at;
  trains_[count_++ % kTrains] = {bits, std::max(seconds, bits / kFastest)};
  bps_ = estimate(congested);
}

bool PacketTrainEstimator::agree() const {
  if (count_ < kNewest) return false;
  double lowest = kFastest;
  double highest = 0;
  for (std::size_t i = 0; i < kNewest; ++i) {
    lowest = std::min(lowest, newest(i).bps());
    highest = std::max(highest, newest(i).bps());
  }
  return highest <= kAlike * lowest;
}

double PacketTrainEstimator::estimate(bool congested) const {
  if (count_ == 1) return newest(0).bps();
  const double two = std::max(newest(0).bps(), newest(1).bps());
  if (congested && two < kFall * bps_) return two;
  if (count_ >= 3) {
    std::array<double, 3> three{newest(0).bps(), newest(1).bps(), newest(2).bps()};
    std::ranges::sort(three);
    if (three[2] <= kAgreement * three[0]) return three[1];
  }
  Train sum;
  for (std::size_t i = 0; i < std::min(count_, kTrains); ++i) {
    sum.bits += newest(i).bits;
    sum.seconds += newest(i).seconds;
  }
  return sum.bps();
}

}  // namespace abr
