#include "abr/transfer/transfer_policy.h"

#include <algorithm>
#include <cmath>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// What is left is for frames larger than the mean, and to win back what was late: a buffer that
// has lost a second has it again in six.
constexpr double kShare = 0.85;
// Up it may go by so much in each second since it last changed, by as much at once as a player has
// need of who loads a segment every two seconds: what a transfer shows is proof, but of that
// moment.
constexpr double kStep = 1.5;  // as kBlindStep there
constexpr base::Duration kBetweenSteps = 1s;
constexpr base::Duration kMostSteps = 3s;

// A part that is sent at kShare of the path is there in less than a part's time, and a round trip;
// at two it is late. At three, which low-latency players hold (RFC 8216bis, PART-HOLD-BACK), the
// least is sent that keeps him going.
constexpr int kLate = 2;
constexpr int kTooLate = 3;
constexpr double kLeastShare = 0.25;

}  // namespace

bool TransferPolicy::is_late(base::Duration late) const { return late > kLate * part_; }

double TransferPolicy::drain(base::Duration late) const {
  const double share = (kTooLate * part_ - late) / std::chrono::duration<double>{part_};
  return std::clamp(share, kLeastShare, 1.0);
}

Decision TransferPolicy::decide(std::optional<base::BitRate> carries, base::Duration late,
                                const Transport& transport, base::Time now) {
  if (!carries) return {rate_, Reason::kHold};
  const auto share = transport.video(kShare * *carries);
  const auto want = std::clamp(drain(late) * share, limits_.min, limits_.max);
  if (want < (1 - kRateDeadBand) * rate_) {
    rate_ = want;
    changed_ = now;
    return {.rate = rate_, .reason = is_late(late) ? Reason::kBacklog : Reason::kCapacity};
  }
  const auto since = std::min<base::Duration>(now - changed_, kMostSteps);
  if (want <= (1 + kRateDeadBand) * rate_ || is_late(late) || since < kBetweenSteps) {
    return {rate_, Reason::kHold};
  }
  rate_ =
      std::min(want, std::pow(kStep, since / std::chrono::duration<double>{kBetweenSteps}) * rate_);
  changed_ = now;
  return {.rate = rate_, .reason = Reason::kStep};
}

}  // namespace abr
