#include "abr/ladder/operating_points.h"

#include <array>

namespace abr {

namespace {

constexpr std::array<OperatingPoint, 5> kOperatingPoints{{{.scale = 1, .every = 1},
                                                          {.scale = 3. / 4, .every = 1},
                                                          {.scale = 1. / 2, .every = 1},
                                                          {.scale = 1. / 3, .every = 1},
                                                          {.scale = 1. / 3, .every = 2}}};

double share_of_pixels(const OperatingPoint& point) {
  return point.scale * point.scale / point.every;
}

}  // namespace

OperatingPoint OperatingPoints::update(base::BitRate rate, double pixels_per_second,
                                       base::Time now) {
  if (pixels_per_second <= 0) return kOperatingPoints[current_.value_or(0)];
  const std::size_t target = wanted(rate, pixels_per_second);
  if (!current_) current_ = target;
  if (target == *current_) agreed_ = now;
  if (now - agreed_ >= kPointDwell) {
    current_ = target;
    agreed_ = now;
  }
  return kOperatingPoints[*current_];
}

std::size_t OperatingPoints::wanted(base::BitRate rate, double pixels_per_second) const {
  for (std::size_t i = 0; i + 1 < kOperatingPoints.size(); ++i) {
    const double need =
        settings_.bits_per_pixel * pixels_per_second * share_of_pixels(kOperatingPoints[i]);
    const double margin = current_ && i < *current_ ? kUpwardMargin : 1;
    if (static_cast<double>(rate.bps()) >= margin * need) return i;
  }
  return kOperatingPoints.size() - 1;
}

}  // namespace abr
