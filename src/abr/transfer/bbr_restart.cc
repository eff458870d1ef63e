#include "abr/transfer/bbr_restart.h"

#include <algorithm>

namespace abr {

namespace {

using namespace std::chrono_literals;

// The pace limits a transfer that is this close to it: TransferRate::value() is measured to a tick
// of the kernel and an interval of samples. A lower share restarts BBR where the path is the limit.
constexpr double kPaceShare = 0.7;
// Transfers of fewer round trips at the pace have none in which BBR measures the path: the data of
// the first is marked as limited by the application, and the last one is partly empty.
constexpr int kMeasuringRoundTrips = 2;
// Smoothed round trip over the minimum below which nothing queues.
constexpr double kEmptyPathRatio = 1.25;
// BBR has lost the path's bandwidth if transfers were this much faster before. A higher share also
// restarts it for the noise of measurement, which costs packets where the queue is short; a lower
// one lets it go on at half the pace.
constexpr double kLostShare = 0.6;
// About as long as the rate after a restart takes to be measured: TransferRate::value() rises with
// a second of transfer, and a part takes a quarter of its time.
constexpr base::Duration kMinInterval = 4s;

}  // namespace

bool BbrRestart::wanted(const Transfer& transfer, base::Time now) {
  best_ = std::max(best_, transfer.rate);
  const bool slower = transfer.rate <= kLostShare * best_;
  const bool paced = transfer.rate >= kPaceShare * transfer.pace;
  const bool is_short = transfer.amount < transfer.pace * (kMeasuringRoundTrips * transfer.min_rtt);
  const bool empty_path = transfer.rtt <= kEmptyPathRatio * transfer.min_rtt;
  if (!slower || !paced || !is_short || !empty_path || now < next_) return false;
  next_ = now + kMinInterval;
  best_ = {};
  return true;
}

}  // namespace abr
