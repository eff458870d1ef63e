#include "transcoder/picture/picture_size.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace transcoder {

namespace {

/// The smallest width or height with a chroma sample.
constexpr int kMinSide = 2;

int even_at_most(double size, int limit) {
  return std::max(kMinSide, std::min(static_cast<int>(std::lround(size / 2)) * 2, limit / 2 * 2));
}

}  // namespace

VideoSettings limits_for(PictureSize source, VideoSettings limits) {
  const bool upright = source.height > source.width;
  if (upright && limits.max_width > limits.max_height)
    std::swap(limits.max_width, limits.max_height);
  return limits;
}

PictureSize fit_picture(PictureSize source, const VideoSettings& settings) {
  const auto limits = limits_for(source, settings);
  const double scale = std::min(static_cast<double>(limits.max_width) / source.width,
                                static_cast<double>(limits.max_height) / source.height);
  if (scale >= 1) {
    return {std::max(kMinSide, source.width / 2 * 2), std::max(kMinSide, source.height / 2 * 2)};
  }
  return {even_at_most(source.width * scale, limits.max_width),
          even_at_most(source.height * scale, limits.max_height)};
}

PictureSize scale_picture(PictureSize size, double scale) {
  return {even_at_most(size.width * scale, size.width),
          even_at_most(size.height * scale, size.height)};
}

}  // namespace transcoder
