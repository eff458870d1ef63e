#include "transcoder/testsource/test_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "test_code_reader.h"

namespace transcoder {
namespace {

using test::LumaView;
using test::read_test_code;

struct Luma {
  Luma(int w, int h) : width{w}, height{h}, data(static_cast<std::size_t>(w) * h, 90) {}
  std::uint8_t& at(int x, int y) { return data[static_cast<std::size_t>(y) * width + x]; }
  LumaView view() const { return {data.data(), width, width, height}; }

  int width, height;
  std::vector<std::uint8_t> data;
};

const TestCode kCode{0x89abcdef, std::chrono::milliseconds{0x123456789abc}};

Luma drawn(int width = 1280, int height = 720) {
  Luma luma{width, height};
  draw_test_code(kCode, luma.data.data(), width, width, height);
  return luma;
}

/// The mean over (2 * radius + 1) columns, which resembles the result of a very coarse quantiser.
Luma blurred(const Luma& source, int radius) {
  Luma result{source.width, source.height};
  for (int y = 0; y < source.height; ++y) {
    for (int x = 0; x < source.width; ++x) {
      int sum = 0;
      for (int d = -radius; d <= radius; ++d) {
        const int column = std::clamp(x + d, 0, source.width - 1);
        sum += source.data[static_cast<std::size_t>(y) * source.width + column];
      }
      result.at(x, y) = static_cast<std::uint8_t>(sum / (2 * radius + 1));
    }
  }
  return result;
}

Luma halved(const Luma& source) {
  Luma result{source.width / 2, source.height / 2};
  for (int y = 0; y < result.height; ++y) {
    for (int x = 0; x < result.width; ++x) {
      result.at(x, y) = source.data[static_cast<std::size_t>(2 * y) * source.width + 2 * x];
    }
  }
  return result;
}

TEST(TestCodeTest, ReadsADrawnCode) { EXPECT_EQ(read_test_code(drawn().view()), kCode); }

TEST(TestCodeTest, SurvivesBlur) { EXPECT_EQ(read_test_code(blurred(drawn(), 8).view()), kCode); }

TEST(TestCodeTest, SurvivesNoiseAndLowContrast) {
  auto luma = drawn();
  std::mt19937 random{3};
  std::normal_distribution<double> noise{0, 30};
  for (auto& value : luma.data) {
    value = static_cast<std::uint8_t>(std::clamp(60 + value / 2 + noise(random), 0.0, 255.0));
  }
  EXPECT_EQ(read_test_code(luma.view()), kCode);
}

TEST(TestCodeTest, SurvivesScaling) {
  EXPECT_EQ(read_test_code(halved(drawn()).view()), kCode);
  EXPECT_EQ(read_test_code(halved(halved(drawn())).view()), kCode);
}

TEST(TestCodeTest, FitsTheSmallestPicture) {
  EXPECT_EQ(read_test_code(drawn(192, 108).view()), kCode);
}

TEST(TestCodeTest, RejectsAFlippedBlock) {
  auto luma = drawn();
  for (int y = 660; y < 690; ++y) {
    for (int x = 0; x < 26; ++x) luma.at(x, y) = static_cast<std::uint8_t>(251 - luma.at(x, y));
  }
  EXPECT_FALSE(read_test_code(luma.view()));
}

TEST(TestCodeTest, RejectsAPictureWithoutACode) {
  EXPECT_FALSE(read_test_code(Luma{1280, 720}.view()));
  Luma noise{1280, 720};
  std::mt19937 random{4};
  for (auto& value : noise.data) value = static_cast<std::uint8_t>(random());
  EXPECT_FALSE(read_test_code(noise.view()));
}

}  // namespace
}  // namespace transcoder
