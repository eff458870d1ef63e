#pragma once

#include <cstdint>

namespace control {

/// An 8-bit luma plane; owns nothing.
struct Luma {
  const std::uint8_t* data = nullptr;
  int stride = 0;
  int width = 0;
  int height = 0;
};

/// Mean structural similarity of two pictures of the same size, at least 8x8: 1 if they are equal.
/// Wang, Bovik, Sheikh and Simoncelli, "Image quality assessment: from error visibility to
/// structural similarity" (IEEE Transactions on Image Processing, 2004), over square windows of 8
/// pixels, one every 4 pixels, as in ffmpeg's filter `ssim`.
double ssim(const Luma& a, const Luma& b);

}  // namespace control
