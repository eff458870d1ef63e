#include "abr/policy/drain_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "abr/tuning.h"

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

/// 3 Mbit/s over a path of 8 Mbit/s and 50 ms, behind a queue of 50 ms.
class DrainCheckTest : public testing::Test {
 protected:
  BitRate next() {
    const auto rate = check_.allowed(seen_, path_, kRate, now_ += kFrame);
    seen_.delivered += delivers_.value_or(rate) * kFrame;
    return rate;
  }
  /// Lets the time pass until a check runs, or none does.
  base::Duration until(bool runs, base::Duration patience = 200s) {
    const auto begin = now_;
    do next();
    while (check_.runs() != runs && now_ - begin < patience);
    return now_ - begin;
  }

  static constexpr BitRate kRate = BitRate::mbps(3);
  static constexpr base::Duration kFrame = 40ms;
  DrainCheck check_;
  Observation seen_{.frame_interval = kFrame};
  PathState path_{.capacity = BitRate::mbps(8), .round_trip = 50ms, .queue = 50ms};
  base::Time now_{1h};
  std::optional<BitRate> delivers_;  ///< nullopt: all that is sent
};

TEST_F(DrainCheckTest, TakesAQuarterOfTheRateWhereTheQueueIsAsLongAsThePath) {
  until(true);
  EXPECT_NEAR(next() / kRate, 0.75, 0.01);
}

TEST_F(DrainCheckTest, TakesLittleWhereTheQueueIsShortForThePath) {
  path_.round_trip = 450ms;
  until(true);
  EXPECT_NEAR(next() / kRate, 0.95, 0.01);
}

/// The path may carry less than the rate: a queue of our own would grow.
TEST_F(DrainCheckTest, TakesThePathsCapacityIfThatIsLess) {
  path_.capacity = BitRate::mbps(1);
  until(true);
  EXPECT_LT(next(), BitRate::mbps(0.76));
}

/// 50 ms at a quarter of the link are 200 ms, and half as much again; then the way there and back.
TEST_F(DrainCheckTest, LastsUntilAQueueOfOurOwnHasDrained) {
  until(true);
  const auto length = until(false);
  EXPECT_GE(length, 300ms);
  EXPECT_LE(length, 600ms);
  EXPECT_EQ(next(), kRate);
}

/// Until the cross traffic ends, which needs 700 ms without a wait.
TEST_F(DrainCheckTest, GoesOnWhileNothingWaits) {
  until(true);
  path_.queue = 0ms;
  const auto length = until(false);
  EXPECT_GE(length, 300ms + 700ms);
  EXPECT_LE(length, 2s);
}

TEST_F(DrainCheckTest, PausesGrowWhileOthersAreThere) {
  auto before = until(true);
  EXPECT_NEAR(base::seconds(before), 3, 0.1);
  for (int i = 0; i < 5; ++i) {
    until(false);
    const auto pause = until(true);
    EXPECT_NEAR(base::seconds(pause), std::min(60.0, 3 * base::seconds(before)), 0.5);
    before = pause;
  }
}

TEST_F(DrainCheckTest, ComesAtOnceWhenTheQueueHasGrown) {
  next();
  path_.queue = 120ms;
  next();
  EXPECT_FALSE(check_.runs()) << "a little";
  path_.queue = 140ms;
  next();
  EXPECT_TRUE(check_.runs());
}

TEST_F(DrainCheckTest, ADeepQueueThatGrowsALittleIsNoReason) {
  path_.queue = 1s;
  next();
  path_.queue = 1200ms;
  next();
  EXPECT_FALSE(check_.runs());
  path_.queue = 1400ms;
  next();
  EXPECT_TRUE(check_.runs());
}

// A newcomer fills a deep queue for seconds.
TEST_F(DrainCheckTest, GrowthSoonAfterACheckIsNoReason) {
  next();
  path_.queue = 200ms;
  until(true);
  until(false);
  path_.queue = 500ms;
  EXPECT_NEAR(base::seconds(until(true)), 3, 0.1);
}

TEST_F(DrainCheckTest, BesideMoreOfOursGrowthIsNoReason) {
  seen_.neighbours = 1;
  next();
  path_.queue = 1s;
  next();
  EXPECT_FALSE(check_.runs());
}

TEST_F(DrainCheckTest, GrowthIsNoReasonWhileOthersAreSeenToFillTheQueue) {
  path_.others_seen = true;
  next();
  path_.queue = 1s;
  next();
  EXPECT_FALSE(check_.runs());
  EXPECT_NEAR(base::seconds(until(true)), 3, 0.1) << "but it is checked now and then";
}

TEST_F(DrainCheckTest, EndsWhenOthersFillTheQueueAgain) {
  path_.queue = 1s;
  until(true);
  path_.queue = 40ms;  // they have lost packets
  next();
  path_.queue = 120ms;
  next();
  EXPECT_TRUE(check_.runs()) << "may be jitter";
  path_.queue = 150ms;
  EXPECT_EQ(next(), kRate);
  EXPECT_FALSE(check_.runs());
}

TEST_F(DrainCheckTest, AQueueThatDrainsUnevenlyDoesNotEndIt) {
  path_.queue = 1s;
  until(true);
  path_.queue = 700ms;
  next();
  path_.queue = 900ms;
  next();
  EXPECT_TRUE(check_.runs());
}

// In a queue that two flows share, one that sends less gets less.
TEST_F(DrainCheckTest, EndsWhenLessArrivesThoughDataWaits) {
  path_.queue = 1s;
  seen_.srtt = 1s;
  delivers_ = kRate;
  until(true);
  for (int i = 0; i < 26; ++i) EXPECT_LT(next(), kRate) << "sent before the check";
  delivers_.reset();
  const auto length = until(false);
  EXPECT_LE(length, 600ms);
  EXPECT_EQ(check_.regained(), kRate);
  next();
  EXPECT_EQ(check_.regained(), BitRate{}) << "once";
}

// The capacity of a path that is ours alone may fall during the check.
TEST_F(DrainCheckTest, GivesBackNoMoreThanAStepBeyondWhatArrived) {
  path_.queue = 1s;
  seen_.srtt = 1s;
  delivers_ = BitRate::mbps(1);
  until(true);
  for (int i = 0; i < 26; ++i) next();
  delivers_ = BitRate::kbps(200);
  until(false);
  EXPECT_NEAR(check_.regained() / BitRate::mbps(1), kBlindStep, 0.1);
}

// A path that is ours alone carries what it can, until its queue has drained.
TEST_F(DrainCheckTest, GoesOnWhileAsMuchArrives) {
  path_.queue = 1s;
  seen_.srtt = 1s;
  delivers_ = kRate;
  until(true);
  EXPECT_GE(until(false), 3s);
  EXPECT_EQ(check_.regained(), BitRate{});
}

TEST_F(DrainCheckTest, TakesASmallShareOfTheTimeBehindADeepQueue) {
  path_.queue = 2s;
  delivers_ = kRate;
  until(true);
  const auto length = until(false);
  EXPECT_GE(until(true), 8 * (length - kFrame));
}

TEST_F(DrainCheckTest, BeginsAnewWithOtherCrossTraffic) {
  until(true);
  until(false);
  check_.reset();
  EXPECT_FALSE(check_.runs());
  EXPECT_NEAR(base::seconds(until(true)), 3, 0.1);
}

}  // namespace
}  // namespace abr
