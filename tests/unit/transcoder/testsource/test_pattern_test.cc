#include "transcoder/testsource/test_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "test_code_reader.h"
#include "transcoder/picture/picture_pool.h"
#include "transcoder/testsource/test_code.h"

namespace transcoder {
namespace {

using namespace std::chrono_literals;

class TestPatternTest : public testing::Test {
 protected:
  static TestOptions options(TestOptions::Content content) {
    return {.size = {320, 180}, .frame_rate = 30, .content = content, .audio = true};
  }

  PicturePool::Picture draw(const TestPattern& pattern, std::uint32_t frame) {
    auto picture = pool_.take();
    const base::Time captured{123456ms + frame * 33ms};
    pattern.draw(picture.canvas,
                 {.frame = frame, .captured = captured, .wall = {}, .turn = 0.25, .beep = false});
    return picture;
  }

  /// The mean absolute difference of luma in rows `from` to `to`, exclusive.
  static double difference(const Canvas& a, const Canvas& b, int from, int to) {
    long sum = 0;
    for (int y = from; y < to; ++y) {
      for (int x = 0; x < a.width; ++x) {
        sum += std::abs(a.plane[0][y * a.stride[0] + x] - b.plane[0][y * b.stride[0] + x]);
      }
    }
    return static_cast<double>(sum) / (a.width * (to - from));
  }

  PicturePool pool_{{320, 180}};
};

TEST_F(TestPatternTest, CarriesItsCode) {
  const TestPattern pattern{options(TestOptions::Content::kMotion)};
  const auto canvas = draw(pattern, 77).canvas;
  const auto code =
      test::read_test_code({canvas.plane[0], canvas.stride[0], canvas.width, canvas.height});
  EXPECT_EQ(code, (TestCode{77, 123456ms + 77 * 33ms}));
}

TEST_F(TestPatternTest, MotionMovesAndHasGrain) {
  const TestPattern pattern{options(TestOptions::Content::kMotion)};
  const auto a = draw(pattern, 1);
  const auto b = draw(pattern, 2);
  EXPECT_GT(difference(a.canvas, b.canvas, 130, 160), 0.5);
}

TEST_F(TestPatternTest, StaticStandsStill) {
  const TestPattern pattern{options(TestOptions::Content::kStatic)};
  const auto a = draw(pattern, 1);
  const auto b = draw(pattern, 2);
  EXPECT_EQ(difference(a.canvas, b.canvas, 130, 160), 0);
}

TEST_F(TestPatternTest, NoiseDiffersFromThePictureBefore) {
  const TestPattern pattern{options(TestOptions::Content::kNoise)};
  const auto a = draw(pattern, 1);
  const auto b = draw(pattern, 2);
  EXPECT_GT(difference(a.canvas, b.canvas, 130, 160), 50);
}

TEST_F(TestPatternTest, TheCounterChanges) {
  const TestPattern pattern{options(TestOptions::Content::kStatic)};
  const auto a = draw(pattern, 1);
  const auto b = draw(pattern, 2);
  EXPECT_GT(difference(a.canvas, b.canvas, 100, 120), 0);
}

TEST_F(TestPatternTest, ALayerRepeatsWithItsPeriod) {
  const Landscape landscape{{320, 180}};
  const auto a = pool_.take();
  const auto b = pool_.take();
  landscape.draw(a.canvas, 0);
  landscape.draw(b.canvas, 320);
  EXPECT_EQ(difference(a.canvas, b.canvas, 0, 180), 0);
}

}  // namespace
}  // namespace transcoder
