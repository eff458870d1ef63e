#include "transcoder/encode/frame_budget.h"

#include <algorithm>
#include <utility>

namespace transcoder {

namespace {

/// A cut below this fraction of the rate causes a snap. After a smaller cut at most 10 % of the
/// buffer (6 ms of 60 ms) are left to spend.
constexpr double kSnapRateRatio = 0.9;
constexpr int kSnapFrames = 2;

/// Minimum of `bound`, in shares. Frames are usually a little smaller than their limit; without
/// room to carry that over, 10 % of the rate would be lost at frame rates below 1 / vbv.
constexpr double kMinBoundShares = 1.25;

/// Minimum of `room`, in shares. After a frame that was too large the next one still needs enough
/// bits to be encoded at all.
constexpr double kMinRoomShares = 0.25;

base::ByteCount operator*(base::ByteCount amount, double factor) {
  return base::ByteCount{static_cast<std::int64_t>(static_cast<double>(amount.bytes()) * factor)};
}

}  // namespace

FrameBudget::FrameBudget(base::BitRate rate, base::Duration vbv, double frame_rate)
    : vbv_{vbv}, interval_{base::from_seconds(1 / frame_rate)}, rate_{rate}, previous_{rate} {}

base::ByteCount FrameBudget::next(media::Pts pts) {
  if (rate_ < previous_ * kSnapRateRatio) snap_ = kSnapFrames;
  previous_ = rate_;
  target_ = rate_ * interval_.update(pts);
  const auto drained = rate_ * (pts - std::exchange(pts_, pts));
  const auto share = std::min(target_, drained);
  const auto bound = std::max(rate_ * vbv_, share * kMinBoundShares);
  waiting_ = std::max(base::ByteCount{}, waiting_ - drained);
  if (snap_ > 0) {
    --snap_;
    waiting_ = bound - share;
  }
  return std::max(bound - waiting_, share * kMinRoomShares);
}

}  // namespace transcoder
