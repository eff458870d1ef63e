#include "transcoder/time/frame_rate_limit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

/// The pictures kept of `count` pictures at `rate`, with timestamps rounded to `grain`.
std::vector<media::Pts> kept(double limit, double rate, int count, media::Pts grain = 1ns) {
  FrameRateLimit frames{limit};
  std::vector<media::Pts> result;
  for (int i = 0; i < count; ++i) {
    const auto exact = base::from_seconds(i / rate);
    const media::Pts pts = (exact + grain / 2) / grain * grain;
    if (frames.admit(pts)) result.push_back(pts);
  }
  return result;
}

TEST(FrameRateLimitTest, KeepsEverySecondPictureOf60) {
  const auto pts = kept(30, 60, 600);
  ASSERT_EQ(pts.size(), 300u);
  for (std::size_t i = 1; i < pts.size(); ++i)
    EXPECT_NEAR(base::seconds(pts[i] - pts[i - 1]), 1 / 30.0, 1e-6);
}

TEST(FrameRateLimitTest, KeepsThreeOfFivePicturesOf50) {
  EXPECT_NEAR(kept(30, 50, 500).size(), 300, 1);
}

TEST(FrameRateLimitTest, NeverDropsTwoPicturesInARowOf50) {
  const auto pts = kept(30, 50, 500);
  for (std::size_t i = 1; i < pts.size(); ++i) EXPECT_LT(pts[i] - pts[i - 1], 41ms);
}

TEST(FrameRateLimitTest, KeepsAll30WithTimestampsInMilliseconds) {
  EXPECT_EQ(kept(30, 30, 3000, 1ms).size(), 3000u);
}

TEST(FrameRateLimitTest, KeepsSlowerSources) { EXPECT_EQ(kept(30, 25, 250).size(), 250u); }

TEST(FrameRateLimitTest, KeepsVariableRateBelowTheLimit) {
  FrameRateLimit frames{30};
  for (const auto pts : {0ms, 100ms, 140ms, 1000ms, 1034ms, 1500ms}) EXPECT_TRUE(frames.admit(pts));
}

TEST(FrameRateLimitTest, DropsTheBurstAfterAPause) {
  FrameRateLimit frames{30};
  EXPECT_TRUE(frames.admit(0ms));
  EXPECT_TRUE(frames.admit(900ms));
  EXPECT_FALSE(frames.admit(902ms));
  EXPECT_FALSE(frames.admit(904ms));
  EXPECT_TRUE(frames.admit(933ms));
}

}  // namespace
}  // namespace transcoder
