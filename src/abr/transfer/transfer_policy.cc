#include "abr/transfer/transfer_policy.h"

#include <algorithm>
#include <cmath>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Share of the transfers' rate that is used. The rest is for frames larger than the mean and for
// refilling the buffer: a buffer that has lost a second recovers it in six. A larger share refills
// it more slowly, a smaller one costs quality. Not measured against other values.
constexpr double kTransferShare = 0.85;
// The rate rises by kBlindStep for each kStepInterval since it last changed: a transfer proves the
// path's rate, but only for that moment. At most for kMaxStepTime, which suits a player that loads
// a segment every two seconds; longer would let a single transfer after a pause raise it too far.
// Not measured against other values.
constexpr base::Duration kStepInterval = 1s;
constexpr base::Duration kMaxStepTime = 3s;

// A part that is sent at kTransferShare of the path arrives within a part's time and a round trip;
// after two parts' time it is late, and the rate falls. After three, which low-latency players
// buffer (RFC 8216bis, PART-HOLD-BACK), kMinDrainShare of the rate is left, enough to keep the
// player going. Smaller numbers of parts let jitter lower the rate, larger ones risk a stall; a
// smaller share drains sooner at less quality. Not measured against other values.
constexpr int kLateParts = 2;
constexpr int kTooLateParts = 3;
constexpr double kMinDrainShare = 0.25;

}  // namespace

bool TransferPolicy::is_late(base::Duration late) const { return late > kLateParts * part_; }

double TransferPolicy::drain(base::Duration late) const {
  const double share = (kTooLateParts * part_ - late) / std::chrono::duration<double>{part_};
  return std::clamp(share, kMinDrainShare, 1.0);
}

void TransferPolicy::set_limits(const RateLimits& limits) {
  limits_ = limits;
  sustained_ = std::clamp(sustained_, limits.min, limits.max);
  rate_ = std::clamp(rate_, limits.min, limits.max);
}

Decision TransferPolicy::decide(std::optional<base::BitRate> carries, base::Duration late,
                                const Transport& transport, base::Time now) {
  if (!carries) return {rate_, Reason::kHold};
  const auto share = transport.video(kTransferShare * *carries);
  follow(std::clamp(share, limits_.min, limits_.max), late, now);
  const auto want = std::clamp(std::min(sustained_, drain(late) * share), limits_.min, limits_.max);
  if (want < (1 - kRateDeadBand) * rate_) {
    rate_ = want;
    return {.rate = rate_, .reason = is_late(late) ? Reason::kBacklog : Reason::kCapacity};
  }
  if (want <= (1 + kRateDeadBand) * rate_) return {rate_, Reason::kHold};
  rate_ = want;
  return {.rate = rate_, .reason = Reason::kStep};
}

/// `share`: of the path, within the limits.
void TransferPolicy::follow(base::BitRate share, base::Duration late, base::Time now) {
  if (share < (1 - kRateDeadBand) * sustained_) {
    sustained_ = share;
    changed_ = now;
    return;
  }
  const auto since = std::min<base::Duration>(now - changed_, kMaxStepTime);
  if (share <= (1 + kRateDeadBand) * sustained_ || is_late(late) || since < kStepInterval) return;
  const auto steps = std::pow(kBlindStep, since / std::chrono::duration<double>{kStepInterval});
  sustained_ = std::min(share, steps * sustained_);
  changed_ = now;
}

}  // namespace abr
