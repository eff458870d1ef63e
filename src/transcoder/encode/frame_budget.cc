#include "transcoder/encode/frame_budget.h"

#include <algorithm>
#include <utility>

namespace transcoder {

namespace {

/// A smaller cut leaves at most 10 % of a 60 ms buffer to spend: 6 ms of excess.
constexpr double kSnapBelow = 0.9;
constexpr int kSnapPictures = 2;

/// Pictures come out a little under their limit; with no room to carry that over, 10 % of the rate
/// would be lost at frame rates below 1 / vbv.
constexpr double kLeastBound = 1.25;

/// After a picture that took too much, the next one still needs enough to be coded at all.
constexpr double kLeastPicture = 0.25;

base::ByteCount operator*(base::ByteCount amount, double factor) {
  return base::ByteCount{static_cast<std::int64_t>(static_cast<double>(amount.bytes()) * factor)};
}

}  // namespace

FrameBudget::FrameBudget(base::BitRate rate, base::Duration vbv, double frame_rate)
    : vbv_{vbv}, interval_{base::from_seconds(1 / frame_rate)}, rate_{rate}, previous_{rate} {}

base::ByteCount FrameBudget::next(media::Pts pts) {
  if (rate_ < previous_ * kSnapBelow) snap_ = kSnapPictures;
  previous_ = rate_;
  picture_ = rate_ * interval_.update(pts);
  const auto drained = rate_ * (pts - std::exchange(pts_, pts));
  const auto share = std::min(picture_, drained);
  const auto bound = std::max(rate_ * vbv_, share * kLeastBound);
  waiting_ = std::max(base::ByteCount{}, waiting_ - drained);
  if (snap_ > 0) {
    --snap_;
    waiting_ = bound - share;
  }
  return std::max(bound - waiting_, share * kLeastPicture);
}

}  // namespace transcoder
