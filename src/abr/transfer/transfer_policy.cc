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
// Share of the time that loading may take, with the round trip of each request and retransmissions:
// a player that loads one part after the other falls behind with 1. Nearer to 1 uses more of a long
// path, and refills the buffer more slowly. At least kMinTransferShare is left for the transfers: a
// player whose round trip is as long as a part cannot keep up at any rate. Not measured against
// other values.
constexpr double kLoadShare = 0.95;
constexpr double kMinTransferShare = 0.1;
// The waits of this much media count: some 10 parts, of which a few have lost a segment. Less lets
// the rate follow single losses, more lets it follow a path that has changed later.
constexpr base::Duration kWaitingSpan = 4s;
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

void TransferPolicy::loaded(base::Duration media, base::Duration waited) {
  const double share = base::seconds(waited) / base::seconds(media);
  waiting_ +=
      std::min(1.0, media / std::chrono::duration<double>{kWaitingSpan}) * (share - waiting_);
}

/// The share of the transfers' rate that leaves time for what passes between them.
double TransferPolicy::transfer_share() const {
  return std::clamp(kLoadShare - waiting_, kMinTransferShare, kTransferShare);
}

Decision TransferPolicy::decide(const Transfers& transfers, const Transport& transport,
                                base::Time now) {
  if (!transfers.rate) return {rate_, Reason::kHold};
  const auto late = transfers.late;
  const auto share = transport.video(transfer_share() * *transfers.rate);
  // A lost segment says nothing about the rate that follows.
  if (!transfers.silent) follow(std::clamp(share, limits_.min, limits_.max), late, now);
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
