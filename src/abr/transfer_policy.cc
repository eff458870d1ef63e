#include "abr/transfer_policy.h"

#include <algorithm>

namespace abr {

namespace {

using namespace std::chrono_literals;

// What is left is for pictures larger than the mean, and to win back what was late: control.md's
// share, by which a buffer that has lost a second has it again in six.
constexpr double kShare = 0.85;
constexpr double kDeadBand = 0.03;  // abr/symbiosis_policy.cc
constexpr double kStep = 1.5;       // likewise
constexpr base::Duration kBetweenSteps = 1s;

// A part that is two parts old is late; at half of what low-latency players hold (three parts and
// more, 1.5 s at our target latency) the least is sent that keeps him going.
constexpr base::Duration kLate = 400ms;
constexpr base::Duration kTooLate = 1200ms;
constexpr double kLeastShare = 0.25;

double drain(base::Duration late) {
  const double share = 1 - (late - kLate) / std::chrono::duration<double>{kTooLate - kLate};
  return std::clamp(share, kLeastShare, 1.0);
}

}  // namespace

Decision TransferPolicy::decide(base::BitRate carries, base::Duration late,
                                const Transport& transport, base::Time now) {
  if (carries.bps() == 0) return {rate_, Reason::kHold};
  const auto share = transport.video(kShare * carries);
  const auto want = std::clamp(drain(late) * share, limits_.min, limits_.max);
  if (want < (1 - kDeadBand) * rate_) {
    rate_ = want;
    raise_at_ = now + kBetweenSteps;
    return {.rate = rate_, .reason = late > kLate ? Reason::kBacklog : Reason::kCapacity};
  }
  if (want <= (1 + kDeadBand) * rate_ || late > kLate || now < raise_at_) {
    return {rate_, Reason::kHold};
  }
  rate_ = std::min(want, kStep * rate_);
  raise_at_ = now + kBetweenSteps;
  return {.rate = rate_, .reason = Reason::kStep};
}

}  // namespace abr
