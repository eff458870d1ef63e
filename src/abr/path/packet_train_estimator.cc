#include "abr/path/packet_train_estimator.h"

#include <algorithm>

#include "abr/tuning.h"

namespace abr {

namespace {

// bit/s. The most that a train can show, when its ACKs arrive at once. Far above any video rate, so
// that a smaller value could only hide fast paths, and a larger one changes nothing: at 1 Gbit/s a
// train of eight segments takes 0.1 ms, which no ACK shows.
constexpr double kMaxTrainRate = 1e9;
// Ratio of the fastest to the slowest of three trains whose median counts. With 1.6, trains with
// bunched ACKs are trusted, and p95 of sim_table's `own` is 8 % longer; with 1.15, the sum of eight
// lags behind.
constexpr double kMaxMedianSpread = 1.3;
// Ratio of the fastest to the slowest train that agree. With 1.05, p95 of sim_table's `own` is 9 %
// longer; with 1.25, rates are 1.1 % lower (--random 1 --count 100, without cross traffic).
constexpr double kMaxAgreeingSpread = 1.1;
// Two trains below this share of the capacity show that it has fallen. Nearer to 1, trains that err
// lower it; farther, a smaller fall takes three trains to show. 0.5 and 0.9 change no mean by more
// than 3 %.
constexpr double kFallenShare = 0.7;

}  // namespace

void PacketTrainEstimator::add(base::Time at, double bits, double seconds, bool congested) {
  if (bits <= 0) return;
  if (at - newest_at_ > kMaxEvidenceGap) count_ = 0;
  newest_at_ = at;
  trains_[count_++ % kMaxTrains] = {bits, std::max(seconds, bits / kMaxTrainRate)};
  bps_ = estimate(congested);
}

bool PacketTrainEstimator::agree() const {
  if (count_ < kAgreeingTrains) return false;
  double lowest = kMaxTrainRate;
  double highest = 0;
  for (std::size_t i = 0; i < kAgreeingTrains; ++i) {
    lowest = std::min(lowest, newest(i).bps());
    highest = std::max(highest, newest(i).bps());
  }
  return highest <= kMaxAgreeingSpread * lowest;
}

double PacketTrainEstimator::estimate(bool congested) const {
  if (count_ == 1) return newest(0).bps();
  const double two = std::max(newest(0).bps(), newest(1).bps());
  if (congested && two < kFallenShare * bps_) return two;
  if (count_ >= 3) {
    std::array<double, 3> three{newest(0).bps(), newest(1).bps(), newest(2).bps()};
    std::ranges::sort(three);
    if (three[2] <= kMaxMedianSpread * three[0]) return three[1];
  }
  Train sum;
  for (std::size_t i = 0; i < std::min(count_, kMaxTrains); ++i) {
    sum.bits += newest(i).bits;
    sum.seconds += newest(i).seconds;
  }
  return sum.bps();
}

}  // namespace abr
