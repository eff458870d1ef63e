#include "abr/ladder/operating_points.h"

#include <gtest/gtest.h>

#include "abr/settings.h"

namespace abr {
namespace {

using namespace std::chrono_literals;

constexpr double kPixels = 1280. * 720 * 30;  // 1.38 Mbit/s at 0.05 bits each
constexpr base::BitRate kFull = base::BitRate::kbps(1400);
constexpr base::BitRate kMost = base::BitRate::mbps(5);
constexpr base::BitRate kLess = base::BitRate::kbps(1000);

class OperatingPointsTest : public ::testing::Test {
 protected:
  OperatingPoint at(base::BitRate rate) { return points_.update({rate, kMost}, kPixels, now_); }
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
    return OperatingPoints{PointSettings{}}.update({base::BitRate::kbps(kbps), kMost}, kPixels, {});
  };
  EXPECT_EQ(first(1400), (OperatingPoint{.scale = 1, .every = 1}));
  EXPECT_EQ(first(800), (OperatingPoint{.scale = 3. / 4, .every = 1}));
  EXPECT_EQ(first(350), (OperatingPoint{.scale = 1. / 2, .every = 1}));
  EXPECT_EQ(first(155), (OperatingPoint{.scale = 1. / 3, .every = 1}));
  EXPECT_EQ(first(80), (OperatingPoint{.scale = 1. / 3, .every = 2}));
  EXPECT_EQ(first(20), (OperatingPoint{.scale = 1. / 4, .every = 4}));
}

TEST_F(OperatingPointsTest, TheDefaultMinimumRateEncodesEverySecondFrameWith240Lines) {
  const OperatingPoints::Rate least{RateLimits{}.min, RateLimits{}.max};
  for (const double per_second : {25, 30}) {
    EXPECT_EQ(OperatingPoints{PointSettings{}}.update(least, 1280. * 720 * per_second, now_),
              (OperatingPoint{.scale = 1. / 3, .every = 2}));
  }
}

TEST_F(OperatingPointsTest, FollowsARateThatStaysLow) {
  at(kFull);
  EXPECT_EQ(after(250ms, kLess).scale, 1);
  EXPECT_EQ(after(250ms, kLess).scale, 3. / 4);
}

TEST_F(OperatingPointsTest, ADipChangesNothing) {
  at(kFull);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(after(250ms, kLess).scale, 1);
    EXPECT_EQ(after(250ms, kFull).scale, 1);
  }
}

TEST_F(OperatingPointsTest, RisesAtOnce) {
  at(kLess);
  after(20s, kLess);
  EXPECT_EQ(at(2 * kFull).scale, 1);
}

TEST_F(OperatingPointsTest, RisesLaterIfTheLastRiseDidNotLast) {
  at(kLess);
  at(2 * kFull);
  EXPECT_EQ(after(5s, kLess).scale, 3. / 4);
  EXPECT_EQ(after(2750ms, 2 * kFull).scale, 3. / 4);
  EXPECT_EQ(after(250ms, 2 * kFull).scale, 1);
}

TEST_F(OperatingPointsTest, ARiseThatLastedDelaysNoOther) {
  at(kLess);
  at(2 * kFull);
  after(10s, 2 * kFull);
  EXPECT_EQ(after(5s, kLess).scale, 3. / 4);
  EXPECT_EQ(at(2 * kFull).scale, 1);
}

TEST_F(OperatingPointsTest, GoesUpOnlyIfTheRateIsWellAboveTheNeed) {
  at(kLess);
  EXPECT_EQ(after(20s, kFull).scale, 3. / 4);
  EXPECT_EQ(at(kFull * 1.3).scale, 1);
}

TEST_F(OperatingPointsTest, StaysUpUntilTheRateIsBelowTheNeed) {
  at(kFull * 1.3);
  EXPECT_EQ(after(20s, kFull).scale, 1);
}

/// 1080p at 60 frames per second calls for 6.2 Mbit/s, and with the margin for 8.1.
TEST_F(OperatingPointsTest, TheHighestRateIsEnoughIfItMeetsTheNeed) {
  constexpr double k1080p60 = 1920. * 1080 * 60;
  const auto most = base::BitRate::mbps(8);
  EXPECT_EQ(points_.update({base::BitRate::mbps(2), most}, k1080p60, now_).scale, 1. / 2);
  EXPECT_EQ(points_.update({base::BitRate::mbps(7), most}, k1080p60, now_).scale, 3. / 4);
  EXPECT_EQ(points_.update({base::BitRate::mbps(7.7), most}, k1080p60, now_).scale, 1);
}

TEST_F(OperatingPointsTest, TheHighestRateIsNotEnoughBelowTheNeed) {
  at(kLess);
  const OperatingPoints::Rate highest{base::BitRate::kbps(1300), base::BitRate::kbps(1300)};
  EXPECT_EQ(points_.update(highest, kPixels, now_).scale, 3. / 4);
}

TEST_F(OperatingPointsTest, FramesOfFullSizeNeedTheirBits) {
  EXPECT_EQ(full_size_rate(PointSettings{}, kPixels).bps(), 1'382'400);
}

TEST_F(OperatingPointsTest, ARateThatFlapsChangesThePointSeldom) {
  at(kFull);
  auto last = at(kFull);
  int changes = 0;
  for (int i = 0; i < 240; ++i) {  // a minute
    const auto point = after(250ms, i / 3 % 2 ? kFull * 2 : base::BitRate::kbps(100));
    changes += point != last;
    last = point;
  }
  EXPECT_EQ(changes, 3) << "down, up, and down to stay";
}

TEST_F(OperatingPointsTest, WaitsForTheFrameSize) {
  EXPECT_EQ(points_.update({kLess, kMost}, 0, now_), OperatingPoint{});
  EXPECT_EQ(at(kLess).scale, 3. / 4);
}

TEST_F(OperatingPointsTest, ZeroBitsPerPixelKeepTheFullFrame) {
  OperatingPoints points{PointSettings{.bits_per_pixel = 0}};
  EXPECT_EQ(points.update({base::BitRate::kbps(30), kMost}, kPixels, now_), OperatingPoint{});
}

}  // namespace
}  // namespace abr
