#include "transcoder/testsource/stamp.h"

#include <algorithm>
#include <cmath>

namespace transcoder {

namespace {

// Limited range (ITU-R BT.709): black and white luma, and chroma without colour.
constexpr int kBlackLuma = 16;
constexpr int kWhiteLuma = 235;
constexpr int kNeutralChroma = 128;
/// Opacity of the rim. A lower one lets more of the picture through, a higher one gives contrast.
constexpr double kRimCover = 0.72;

std::uint8_t blend(int below, int above, int share) {
  return static_cast<std::uint8_t>(below + (above - below) * share / 255);
}

/// The covered part of a pixel whose centre is `distance` pixels outside an edge.
double coverage(double distance) { return std::clamp(0.5 - distance, 0.0, 1.0); }

}  // namespace

Stamp::Stamp(int width, int height, double rim, const Distance& distance)
    : width_{width},
      height_{height},
      cover_(static_cast<std::size_t>(width) * height),
      white_(cover_.size()) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double d = distance(x + 0.5, y + 0.5);
      const auto at = static_cast<std::size_t>(y) * width + x;
      white_[at] = static_cast<std::uint8_t>(255 * coverage(d));
      cover_[at] = static_cast<std::uint8_t>(
          255 * std::max(coverage(d), kRimCover * std::clamp((rim - d) / rim, 0.0, 1.0)));
    }
  }
}

void Stamp::put(const Canvas& canvas, int x, int y) const {
  put_luma(canvas, x & ~1, y & ~1);
  put_chroma(canvas, x & ~1, y & ~1);
}

void Stamp::put_luma(const Canvas& canvas, int x, int y) const {
  const int first = std::max(0, -x);
  const int last = std::min(width_, canvas.width - x);
  for (int row = std::max(0, -y); row < std::min(height_, canvas.height - y); ++row) {
    std::uint8_t* const line = canvas.plane[0] + (y + row) * canvas.stride[0] + x;
    const auto* const cover = cover_.data() + row * width_;
    const auto* const white = white_.data() + row * width_;
    for (int i = first; i < last; ++i) {
      line[i] = blend(line[i], blend(kBlackLuma, kWhiteLuma, white[i]), cover[i]);
    }
  }
}

void Stamp::put_chroma(const Canvas& canvas, int x, int y) const {
  const int first = std::max(0, -x / 2);
  const int last = std::min(width_, canvas.width - x) / 2;
  for (int row = std::max(0, -y / 2); row < std::min(height_, canvas.height - y) / 2; ++row) {
    const auto* const cover = cover_.data() + 2 * row * width_;
    for (const std::size_t plane : {1, 2}) {
      std::uint8_t* const line = canvas.plane[plane] + (y / 2 + row) * canvas.stride[plane] + x / 2;
      for (int i = first; i < last; ++i) line[i] = blend(line[i], kNeutralChroma, cover[2 * i]);
    }
  }
}

}  // namespace transcoder
