#include "abr/transfer/transfer_policy.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class TransferPolicyTest : public testing::Test {
 protected:
  Decision decide(double mbps, base::Duration late = 0ms, base::Duration later = 50ms) {
    now_ += later;
    return policy_.decide({.rate = base::BitRate::mbps(mbps), .late = late}, {}, now_);
  }
  double mbps() const { return static_cast<double>(policy_.rate().bps()) / 1e6; }

  TransferPolicy policy_{{.min = base::BitRate::kbps(300),
                          .max = base::BitRate::mbps(6),
                          .start = base::BitRate::mbps(2)},
                         400ms};
  base::Time now_{1h};
};

TEST_F(TransferPolicyTest, HoldsWhileNothingIsKnown) {
  EXPECT_EQ(policy_.decide({}, {}, now_).reason, Reason::kHold);
  EXPECT_EQ(mbps(), 2);
}

TEST_F(TransferPolicyTest, FallsAtOnceToAShareOfTheTransferRate) {
  const auto decision = decide(1);
  EXPECT_EQ(decision.reason, Reason::kCapacity);
  EXPECT_NEAR(mbps(), 0.85, 0.01);
}

TEST_F(TransferPolicyTest, AudioIsNotPartOfTheVideoRate) {
  now_ += 50ms;
  policy_.decide({.rate = base::BitRate::mbps(1)}, {.factor = 1, .fixed = base::BitRate::kbps(150)},
                 now_);
  EXPECT_NEAR(mbps(), 0.7, 0.01);
}

TEST_F(TransferPolicyTest, FallsToTheMinimumWhenNothingPasses) {
  decide(0);
  EXPECT_NEAR(mbps(), 0.3, 0.001);
}

TEST_F(TransferPolicyTest, RisesInSteps) {
  decide(1);
  EXPECT_EQ(decide(20, 0ms, 1s).reason, Reason::kStep);
  EXPECT_NEAR(mbps(), 1.5 * 0.85, 0.01);
  for (int i = 0; i < 18; ++i) EXPECT_EQ(decide(20).reason, Reason::kHold);
  for (int i = 0; i < 100; ++i) decide(20);
  EXPECT_NEAR(mbps(), 6, 0.01);  // rate.max
}

TEST_F(TransferPolicyTest, RisesByOneStepForEachSecondSinceTheLastChange) {
  decide(1);
  decide(20, 0ms, 2s);
  EXPECT_NEAR(mbps(), 1.5 * 1.5 * 0.85, 0.01);
}

TEST_F(TransferPolicyTest, RisesByThreeStepsAtMost) {
  decide(0.5);
  decide(20, 0ms, 1min);
  EXPECT_NEAR(mbps(), 1.5 * 1.5 * 1.5 * 0.425, 0.01);
}

TEST_F(TransferPolicyTest, DoesNotRiseWhileThePlayerWaits) {
  for (int i = 0; i < 40; ++i) EXPECT_EQ(decide(3, 820ms).reason, Reason::kHold);
}

TEST_F(TransferPolicyTest, FallsFurtherWhileThePlayerWaits) {
  const auto decision = decide(2, 1s);
  EXPECT_EQ(decision.reason, Reason::kBacklog);
  EXPECT_NEAR(mbps(), 0.85, 0.01);
  decide(2, 10s);
  EXPECT_NEAR(mbps(), 0.425, 0.01);
}

TEST_F(TransferPolicyTest, IsAtOnceWhatItWasWhenThePlayerWaitsNoLonger) {
  decide(2);
  EXPECT_NEAR(mbps(), 1.7, 0.01);
  decide(2, 10s);
  EXPECT_NEAR(mbps(), 0.425, 0.01);
  EXPECT_EQ(decide(2, 100ms).reason, Reason::kStep);
  EXPECT_NEAR(mbps(), 1.7, 0.01);
}

TEST_F(TransferPolicyTest, RisesInStepsFromWhatAWaitingPlayerCouldTake) {
  decide(2, 10s);
  decide(20, 100ms, 1s);
  EXPECT_NEAR(mbps(), 1.5 * 1.7, 0.01);
}

TEST_F(TransferPolicyTest, NeverFallsBelowTheMinimum) {
  decide(0.01);
  EXPECT_NEAR(mbps(), 0.3, 0.001);
}

TEST_F(TransferPolicyTest, IgnoresSmallChanges) {
  decide(2.4);
  EXPECT_NEAR(mbps(), 2, 0.1);
  const double before = mbps();
  EXPECT_EQ(decide(2.36).reason, Reason::kHold);
  EXPECT_EQ(mbps(), before);
}

/// A part of 400 ms over a round trip of 200 ms: half of its time is left.
TEST_F(TransferPolicyTest, LeavesTimeForTheRoundTripOfEachRequest) {
  for (int i = 0; i < 100; ++i) policy_.loaded(400ms, 200ms);
  decide(2);
  EXPECT_NEAR(mbps(), 0.45 * 2, 0.01);
}

TEST_F(TransferPolicyTest, ShortRoundTripsCostNothing) {
  for (int i = 0; i < 100; ++i) policy_.loaded(400ms, 40ms);
  decide(2);
  EXPECT_NEAR(mbps(), 0.85 * 2, 0.01);
}

TEST_F(TransferPolicyTest, LeavesARateToAPlayerThatCannotKeepUp) {
  for (int i = 0; i < 100; ++i) policy_.loaded(400ms, 600ms);
  decide(5);
  EXPECT_NEAR(mbps(), 0.5, 0.01);
}

TEST_F(TransferPolicyTest, OneLossHardlyCounts) {
  for (int i = 0; i < 100; ++i) policy_.loaded(400ms, 200ms);
  policy_.loaded(400ms, 600ms);
  decide(2);
  EXPECT_NEAR(mbps(), 0.35 * 2, 0.01);
}

TEST_F(TransferPolicyTest, IsAtOnceWhatItWasAfterSilence) {
  decide(2);
  now_ += 50ms;
  policy_.decide({.rate = base::BitRate{}, .silent = true}, {}, now_);
  EXPECT_NEAR(mbps(), 0.3, 0.01);
  EXPECT_EQ(decide(2).reason, Reason::kStep);
  EXPECT_NEAR(mbps(), 1.7, 0.01);
}

}  // namespace
}  // namespace abr
