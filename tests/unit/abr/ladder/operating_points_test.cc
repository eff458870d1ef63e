#include "abr/ladder/operating_points.h"

#include <gtest/gtest.h>

#include "abr/settings.h"

namespace abr {
namespace {

using namespace std::chrono_literals;

constexpr double kPixels = 1280. * 720 * 30;  // 1.38 Mbit/s at 0.05 bits each
constexpr base::BitRate kFull = base::BitRate::kbps(1400);
constexpr base::BitRate kLess = base::BitRate::kbps(1000);

class OperatingPointsTest : public ::testing::Test {
 protected:
  OperatingPoint at(base::BitRate rate) { return points_.update(rate, kPixels, now_); }
  /// The point after `time` at that rate, with four updates per second.
  OperatingPoint after(base::Duration time, base::BitRate rate) {
    for (const auto end = now_ + time; now_ < end; now_ += 250ms) at(rate);
    return at(rate);
  }

  base::Time now_{1h};
  OperatingPoints points_{PointSettings{}};
};

TEST_F(OperatingPointsTest, TheFirstChoiceTakesEffectAtOnce) {
  EXPECT_EQ(at(kLess), (OperatingPoint{.scale = 3. / 4, .every = 1}));
}

TEST_F(OperatingPointsTest, LowerRatesTakeSmallerFramesThenFewer) {
  const auto first = [](double kbps) {
    return OperatingPoints{PointSettings{}}.update(base::BitRate::kbps(kbps), kPixels, {});
  };
  EXPECT_EQ(first(1400), (OperatingPoint{.scale = 1, .every = 1}));
  EXPECT_EQ(first(800), (OperatingPoint{.scale = 3. / 4, .every = 1}));
  EXPECT_EQ(first(350), (OperatingPoint{.scale = 1. / 2, .every = 1}));
  EXPECT_EQ(first(155), (OperatingPoint{.scale = 1. / 3, .every = 1}));
  EXPECT_EQ(first(20), (OperatingPoint{.scale = 1. / 3, .every = 2}));
}

TEST_F(OperatingPointsTest, TheDefaultMinimumRateEncodesEveryFrameWith360Lines) {
  constexpr double k720p25 = 1280. * 720 * 25;
  OperatingPoints points{PointSettings{}};
  EXPECT_EQ(points.update(RateLimits{}.min, k720p25, now_),
            (OperatingPoint{.scale = 1. / 2, .every = 1}));
}

TEST_F(OperatingPointsTest, FollowsARateThatStaysLow) {
  at(kFull);
  EXPECT_EQ(after(2700ms, kLess).scale, 1);
  EXPECT_EQ(after(500ms, kLess).scale, 3. / 4);
}

TEST_F(OperatingPointsTest, ADipChangesNothing) {
  at(kFull);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(after(2s, kLess).scale, 1);
    EXPECT_EQ(after(250ms, kFull).scale, 1);
  }
}

TEST_F(OperatingPointsTest, GoesUpOnlyIfTheRateIsWellAboveTheNeed) {
  at(kLess);
  EXPECT_EQ(after(20s, kFull).scale, 3. / 4);
  EXPECT_EQ(after(4s, kFull * 1.3).scale, 1);
}

TEST_F(OperatingPointsTest, StaysUpUntilTheRateIsBelowTheNeed) {
  at(kFull * 1.3);
  EXPECT_EQ(after(20s, kFull).scale, 1);
}

TEST_F(OperatingPointsTest, ChangesAtMostOncePerDwell) {
  at(kFull);
  auto last = at(kFull);
  int changes = 0;
  for (int i = 0; i < 240; ++i) {  // a minute
    const auto point = after(250ms, i / 13 % 2 ? kFull * 2 : base::BitRate::kbps(100));
    changes += point != last;
    last = point;
  }
  EXPECT_LE(changes, 20);
  EXPECT_GE(changes, 10);
}

TEST_F(OperatingPointsTest, WaitsForTheFrameSize) {
  EXPECT_EQ(points_.update(kLess, 0, now_), OperatingPoint{});
  EXPECT_EQ(at(kLess).scale, 3. / 4);
}

TEST_F(OperatingPointsTest, ZeroBitsPerPixelKeepTheFullFrame) {
  OperatingPoints points{PointSettings{.bits_per_pixel = 0}};
  EXPECT_EQ(points.update(base::BitRate::kbps(30), kPixels, now_), OperatingPoint{});
}

}  // namespace
}  // namespace abr
