#include "transcoder/picture/tone_map.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace transcoder {
namespace {

constexpr media::Colour kPq{.primaries = 9, .transfer = 16, .matrix = 9};

/// Pictures of 10 bits with random colours that are not clipped: each 2x2 block has one.
class ToneMapTest : public testing::Test {
 protected:
  static constexpr int kWidth = 64;
  static constexpr int kHeight = 32;
  static constexpr int kStride = 2 * kWidth + 16;  // bytes

  ToneMapTest() {
    std::mt19937 random{1};
    for (auto& plane : planes_) plane.resize(kStride / 2 * kHeight);
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x)
        luma(x, y) = static_cast<std::uint16_t>(300 + random() % 300);
    }
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) luma(x, y) = luma(x / 2 * 2, y / 2 * 2);
    }
    for (int plane : {1, 2}) {
      for (auto& value : planes_[plane]) value = static_cast<std::uint16_t>(492 + random() % 40);
    }
  }

  std::uint16_t& luma(int x, int y) { return planes_[0][y * (kStride / 2) + x]; }
  std::uint16_t chroma(int plane, int x, int y) const {
    return planes_[plane][y * (kStride / 2) + x];
  }
  DeepPicture picture(const media::Colour& colour) const {
    DeepPicture result{.format = {.width = kWidth, .height = kHeight, .colour = colour}};
    for (int i = 0; i < 3; ++i) {
      result.plane[i] = reinterpret_cast<const std::uint8_t*>(planes_[i].data());
      result.stride[i] = kStride;
    }
    return result;
  }

  /// The largest difference to SdrColour, in codes.
  double error(const media::Frame& frame, const media::Colour& colour) {
    const SdrColour sdr{colour, kNominalPeak};
    double result = 0;
    for (int y = 0; y < kHeight; y += 2) {
      for (int x = 0; x < kWidth; x += 2) {
        const auto want = sdr.convert(
            {1. * luma(x, y), 1. * chroma(1, x / 2, y / 2), 1. * chroma(2, x / 2, y / 2)});
        const double got[] = {1. * frame.plane[0][y * frame.stride[0] + x],
                              1. * frame.plane[1][y / 2 * frame.stride[1] + x / 2],
                              1. * frame.plane[2][y / 2 * frame.stride[2] + x / 2]};
        for (int i = 0; i < 3; ++i) result = std::max(result, std::abs(got[i] - want[i]));
      }
    }
    return result;
  }

  std::array<std::vector<std::uint16_t>, 3> planes_;
  ToneMap tone_map_;
};

TEST_F(ToneMapTest, IsAsExactAsTheScreenShows) {
  for (const int transfer : {14, 16, 18}) {
    const media::Colour colour{.primaries = 9, .transfer = transfer, .matrix = 9};
    EXPECT_LT(error(tone_map_.convert(picture(colour)), colour), 5) << transfer;
  }
}

TEST_F(ToneMapTest, TheResultIsBt709AndKeepsTheShape) {
  auto source = picture(kPq);
  source.format.sar_num = 4;
  source.format.sar_den = 3;
  const auto format = tone_map_.convert(source).format;
  EXPECT_EQ(format.colour, (media::Colour{.primaries = 1, .transfer = 1, .matrix = 1}));
  EXPECT_EQ(format.width, kWidth);
  EXPECT_EQ(format.sar_num, 4);
}

TEST_F(ToneMapTest, GreysAreExact) {
  for (auto* plane : {&planes_[1], &planes_[2]}) std::ranges::fill(*plane, std::uint16_t{512});
  EXPECT_LT(error(tone_map_.convert(picture(kPq)), kPq), 1.2);
}

TEST_F(ToneMapTest, CodesAbove10BitsAreCut) {
  for (auto& plane : planes_) std::ranges::fill(plane, std::uint16_t{0xffff});
  EXPECT_EQ(tone_map_.convert(picture(kPq)).format.width, kWidth);
}

}  // namespace
}  // namespace transcoder
