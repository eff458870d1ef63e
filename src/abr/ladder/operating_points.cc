#include "abr/ladder/operating_points.h"

#include <algorithm>
#include <array>

namespace abr {

namespace {

constexpr std::array<OperatingPoint, 6> kOperatingPoints{{{.scale = 1, .every = 1},
                                                          {.scale = 3. / 4, .every = 1},
                                                          {.scale = 1. / 2, .every = 1},
                                                          {.scale = 1. / 3, .every = 1},
                                                          {.scale = 1. / 3, .every = 2},
                                                          {.scale = 1. / 4, .every = 4}}};

double share_of_pixels(const OperatingPoint& point) {
  return point.scale * point.scale / point.every;
}

}  // namespace

base::BitRate full_size_rate(const PointSettings& settings, double pixels_per_second) {
  return base::BitRate{static_cast<std::int64_t>(settings.bits_per_pixel * pixels_per_second)};
}

OperatingPoint OperatingPoints::update(const Rate& rate, double pixels_per_second, base::Time now) {
  if (pixels_per_second <= 0) return kOperatingPoints[current_.value_or(0)];
  const std::size_t target = wanted(rate, pixels_per_second);
  if (!current_) current_ = target;
  if (target >= *current_) no_more_ = now;
  if (target <= *current_) no_less_ = now;
  if (target < *current_ && now - no_more_ >= (taken_back_ ? kDwell : base::Duration{})) {
    current_ = target;
    no_more_ = now;
    rose_ = now;
    taken_back_ = false;
  } else if (target > *current_ && now - no_less_ >= kFallTime) {
    current_ = target;
    no_less_ = now;
    taken_back_ = rose_ && now - *rose_ < kRiseTime;
  }
  return kOperatingPoints[*current_];
}

std::size_t OperatingPoints::wanted(const Rate& rate, double pixels_per_second) const {
  const auto full = full_size_rate(settings_, pixels_per_second);
  for (std::size_t i = 0; i + 1 < kOperatingPoints.size(); ++i) {
    const auto need = share_of_pixels(kOperatingPoints[i]) * full;
    const auto enough = std::max(need, std::min(kUpwardMargin * need, kNearMaximum * rate.max));
    if (rate.now >= (current_ && i < *current_ ? enough : need)) return i;
  }
  return kOperatingPoints.size() - 1;
}

}  // namespace abr
