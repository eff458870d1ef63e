#include "abr/policy/fair_window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

/// 4 Mbit/s may be ours, on a path of 40 ms behind a queue of 960 ms.
class FairWindowTest : public testing::Test {
 protected:
  double next(base::Duration after = 33ms) {
    return window_.next(seen_, path_, kMost, now_ += after);
  }
  /// The window after that time.
  double later(base::Duration time) {
    double window = 0;
    for (const auto end = now_ + time; now_ < end;) window = next();
    return window;
  }
  double lose() {
    seen_.dupack = 1;
    const auto window = next();
    seen_.dupack = 0;
    return window;
  }

  static constexpr BitRate kMost = BitRate::mbps(4);
  static constexpr double kLimit = 4e6 / 8 / 1000;  ///< segments of a round trip of 1 s
  FairWindow window_;
  Observation seen_{.srtt = 1s, .mss = 1000};
  PathState path_{.queue = 960ms, .cross_traffic = true};
  base::Time now_{1h};
};

TEST_F(FairWindowTest, IsNoneWithoutCrossTraffic) {
  path_.cross_traffic = false;
  EXPECT_EQ(next(), 0);
}

TEST_F(FairWindowTest, IsThatOfTheHighestRateUntilALoss) {
  EXPECT_NEAR(next(), kLimit, 1);
  seen_.srtt = 500ms;
  EXPECT_NEAR(next(), kLimit / 2, 1);
  seen_.srtt = 2s;
  EXPECT_NEAR(next(), 2 * kLimit, 1);
}

TEST_F(FairWindowTest, ALossReducesItAsCubicDoes) {
  next();
  EXPECT_NEAR(lose(), 0.7 * kLimit, 1);
}

TEST_F(FairWindowTest, ATimeoutReducesItAsWell) {
  next();
  seen_.rexmt = 1;
  EXPECT_NEAR(next(), 0.7 * kLimit, 1);
}

TEST_F(FairWindowTest, LossesOfOneRoundTripCountOnce) {
  next();
  lose();
  later(500ms);
  EXPECT_GE(lose(), 0.7 * kLimit - 1);
  const auto before = later(1s);
  EXPECT_NEAR(lose(), 0.7 * before, 1);
}

TEST_F(FairWindowTest, ALossInAQueueThatIsShortForThePathIsNotForLackOfRoom) {
  next();
  path_.queue = 100ms;
  EXPECT_NEAR(lose(), kLimit, 1);
}

TEST_F(FairWindowTest, GrowsBackInTheTimeThatCubicTakes) {
  next();
  lose();
  const auto k = base::from_seconds(std::cbrt(0.3 * kLimit / 0.4));
  EXPECT_LT(later(k / 2), 0.99 * kLimit);
  EXPECT_NEAR(later(k / 2), kLimit, 1);
  EXPECT_NEAR(later(10s), kLimit, 1) << "no more than may be ours";
}

TEST_F(FairWindowTest, GivesRoomToOthersThatAreNew) {
  next();
  lose();
  const auto before = later(1500ms);
  lose();
  EXPECT_NEAR(later(5s), 0.85 * before, 1) << "RFC 9438, 4.7";
}

TEST_F(FairWindowTest, OnAShortPathItGrowsAsRenoDoes) {
  seen_.srtt = 20ms;
  path_.queue = 15ms;
  next();
  const auto least = lose();
  EXPECT_NEAR(later(500ms), std::min(4e6 / 8 / 1000 * 0.02, least + 0.53 * 25), 1);
}

}  // namespace
}  // namespace abr
