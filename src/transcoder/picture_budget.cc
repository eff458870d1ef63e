#include "transcoder/picture_budget.h"

#include <algorithm>

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

PictureBudget::PictureBudget(base::BitRate rate, base::Duration vbv, double frame_rate)
    : vbv_{vbv},
      interval_{base::from_seconds(1 / frame_rate)},
      rate_{rate},
      previous_{rate},
      credit_{rate * vbv} {}

base::ByteCount PictureBudget::next(media::Pts pts) {
  if (rate_ < previous_ * kSnapBelow) snap_ = kSnapPictures;
  previous_ = rate_;
  picture_ = rate_ * interval_.update(pts);
  credit_ = std::min(credit_ + picture_, std::max(rate_ * vbv_, picture_ * kLeastBound));
  if (snap_ > 0) {
    --snap_;
    credit_ = std::min(credit_, picture_);
  }
  return std::max(credit_, picture_ * kLeastPicture);
}

}  // namespace transcoder
