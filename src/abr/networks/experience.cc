#include "abr/networks/experience.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace abr {

namespace {

constexpr base::Duration kSecond = std::chrono::seconds{1};
constexpr double kLeastShare = 1e-3;  // has a finite logarithm

}  // namespace

void Experience::update(double share, bool late, base::Time now) {
  const auto passed = now - std::exchange(updated_, now).value_or(now);
  if (passed > kLongestGap) return;
  passed_ += passed;
  shares_ += std::max(share, kLeastShare) * base::seconds(passed);
  if (late) late_ += passed;
  if (passed_ >= kSecond) finish_second();
}

void Experience::finish_second() {
  const auto seconds = base::seconds(passed_);
  const auto quality = std::log(shares_ / seconds);
  const auto change = std::abs(quality - std::exchange(before_, quality).value_or(quality));
  sum_.seconds += seconds;
  sum_.quality += quality * seconds - change - kLatePenalty * base::seconds(late_);
  passed_ = late_ = {};
  shares_ = 0;
}

Experience::Sum Experience::take() { return std::exchange(sum_, {}); }

}  // namespace abr
