#include "abr/path/base_rtt_shift.h"

#include <algorithm>

namespace abr {

namespace {

using namespace std::chrono_literals;

// Seconds. Waits that differ by no more are equal: ACK times on an idle path vary by about this
// much. A smaller spread misses longer paths, a larger one takes a queue that changes slowly for
// one. No link of sim_table becomes longer, and half and twice this value change nothing there.
constexpr double kMaxWaitSpread = 0.005;
// Seconds. A smaller shift does no harm, and correcting it would only add errors. A larger limit
// leaves shifts that look like a queue. 5 and 20 ms change nothing in sim_table.
constexpr double kMinShift = 0.01;
// Waits have to be equal for this long, and this often. CUBIC's and BBR's queues fluctuate within
// two seconds (tests/sim). Longer takes a longer path for a queue meanwhile; more waits exclude
// paths of which few frames are sampled. 1 and 4 s change nothing in sim_table, nor do 10 and 40
// waits.
constexpr base::Duration kMinConstantTime = 2s;
constexpr std::size_t kMinConstantWaits = 20;

}  // namespace

void BaseRttShift::add(double waited, bool filled, base::Time at) {
  if (waited < 0) {
    seconds_ = std::max(0.0, seconds_ + waited);
    waited = 0;
  }
  least_ = std::min(least_, waited);
  most_ = std::max(most_, waited);
  if (count_ == 0 || filled || most_ - least_ > kMaxWaitSpread) return begin(waited, at);
  ++count_;
  if (at - since_ < kMinConstantTime || count_ < kMinConstantWaits || least_ < kMinShift) return;
  seconds_ += least_;
  begin(0, at);
}

void BaseRttShift::begin(double waited, base::Time at) {
  count_ = 1;
  since_ = at;
  least_ = most_ = waited;
}

}  // namespace abr
