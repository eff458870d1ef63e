#include "abr/path/base_rtt_shift.h"

#include <algorithm>

namespace abr {

namespace {

using namespace std::chrono_literals;

constexpr double kAlike = 0.005;      // seconds that acknowledgements over an idle path differ by
constexpr double kWorth = 0.01;       // seconds; less does no harm
constexpr base::Duration kLong = 2s;  // CUBIC's and BBR's queues waver within it (tests/sim)
constexpr std::size_t kMany = 20;

}  // namespace

void BaseRttShift::add(double waited, bool filled, base::Time at) {
  if (waited < 0) {
    seconds_ = std::max(0.0, seconds_ + waited);
    waited = 0;
  }
  least_ = std::min(least_, waited);
  most_ = std::max(most_, waited);
  if (count_ == 0 || filled || most_ - least_ > kAlike) return begin(waited, at);
  ++count_;
  if (at - since_ < kLong || count_ < kMany || least_ < kWorth) return;
  seconds_ += least_;
  begin(0, at);
}

void BaseRttShift::begin(double waited, base::Time at) {
  count_ = 1;
  since_ = at;
  least_ = most_ = waited;
}

}  // namespace abr
