#include "transcoder/encode/limited_range.h"

#include <cstddef>

namespace transcoder {

namespace {

// ITU-R BT.709, 8 bits.
constexpr int kFullRangeMax = 255;
constexpr int kLimitedMin = 16;
constexpr int kLimitedLumaRange = 219;
constexpr int kLimitedChromaRange = 224;

void convert_row(const std::uint8_t* from, std::uint8_t* to, int width, int range) {
  for (int x = 0; x < width; ++x) {
    to[x] = static_cast<std::uint8_t>(kLimitedMin +
                                      (from[x] * range + kFullRangeMax / 2) / kFullRangeMax);
  }
}

}  // namespace

media::Frame LimitedRange::convert(const media::Frame& frame) {
  media::Frame result = frame;
  if (!frame.format.colour.full_range) return result;
  result.format.colour.full_range = false;
  for (std::size_t i = 0; i < planes_.size(); ++i) {
    const int width = frame.format.width / (i == 0 ? 1 : 2);
    const int height = frame.format.height / (i == 0 ? 1 : 2);
    planes_[i].resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
      convert_row(frame.plane[i] + static_cast<std::ptrdiff_t>(y) * frame.stride[i],
                  planes_[i].data() + static_cast<std::ptrdiff_t>(y) * width, width,
                  i == 0 ? kLimitedLumaRange : kLimitedChromaRange);
    }
    result.plane[i] = planes_[i].data();
    result.stride[i] = width;
  }
  return result;
}

}  // namespace transcoder
