#include "transcoder/testsource/pixel_rows.h"

namespace transcoder {

void blend_row(std::uint8_t* below, const std::uint8_t* above, const std::uint8_t* cover,
               int width) {
  for (int i = 0; i < width; i += kRowBlockPixels) {
    std::uint8_t mixed[kRowBlockPixels];
    for (int j = 0; j < kRowBlockPixels; ++j) {
      const std::uint16_t share = static_cast<std::uint16_t>(cover[i + j] + (cover[i + j] >> 7));
      mixed[j] =
          static_cast<std::uint8_t>((above[i + j] * share + below[i + j] * (256 - share)) >> 8);
    }
    for (int j = 0; j < kRowBlockPixels; ++j) below[i + j] = mixed[j];
  }
}

void add_row(std::uint8_t* line, const std::uint8_t* grain, int width) {
  for (int i = 0; i < width; i += kRowBlockPixels) {
    std::uint8_t sum[kRowBlockPixels];
    for (int j = 0; j < kRowBlockPixels; ++j)
      sum[j] = static_cast<std::uint8_t>(line[i + j] + grain[i + j]);
    for (int j = 0; j < kRowBlockPixels; ++j) line[i + j] = sum[j];
  }
}

}  // namespace transcoder
