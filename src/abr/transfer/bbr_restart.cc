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
// A restart has helped if transfers are this much faster afterwards. If it has, the next one may
// follow after kMinInterval: about as long as a transfer rate takes to be measured. If not, the
// path is the limit, and the interval doubles up to kMaxInterval.
constexpr double kHelps = 1.25;
constexpr base::Duration kMinInterval = 4s;
constexpr base::Duration kMaxInterval = 64s;

}  // namespace

bool BbrRestart::wanted(const Transfer& transfer, base::Time now) {
  best_ = std::max(best_, transfer.rate);
  const bool paced = transfer.rate >= kPaceShare * transfer.pace;
  const bool too_short =
      transfer.amount < transfer.pace * (kMeasuringRoundTrips * transfer.min_rtt);
  const bool empty_path = transfer.rtt <= kEmptyPathRatio * transfer.min_rtt;
  if (!paced || !too_short || !empty_path || now < next_) return false;
  const bool helped = best_ >= kHelps * before_;
  interval_ = helped ? kMinInterval : std::min(2 * interval_, kMaxInterval);
  next_ = now + interval_;
  before_ = transfer.rate;
  best_ = {};
  return true;
}

}  // namespace abr
