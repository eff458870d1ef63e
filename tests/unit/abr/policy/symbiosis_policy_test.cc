#include "abr/policy/symbiosis_policy.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr RateLimits kLimits{
    .min = BitRate::kbps(300), .max = BitRate::mbps(6), .start = BitRate::mbps(2)};

/// What is seen and believed is made up; tests/sim has the two together.
class SymbiosisPolicyTest : public testing::Test {
 protected:
  SymbiosisPolicyTest() { decide(); }

  Decision decide(base::Duration after = 33ms) {
    now_ += after;
    seen_.served = rate_;
    const auto decision = policy_.decide(seen_, path_, now_);
    rate_ = decision.rate;
    return decision;
  }
  /// So many decisions, a frame apart.
  Decision settle(int frames = 60) {
    Decision decision;
    for (int i = 0; i < frames; ++i) decision = decide();
    return decision;
  }
  void carries(BitRate capacity) {
    path_.capacity = capacity;
    path_.highest = capacity;
    path_.capacity_recent = path_.upper_bound_recent = path_.train_recent = path_.trains_agree =
        true;
  }
  double mbps() const { return static_cast<double>(rate_.bps()) / 1e6; }

  SymbiosisPolicy policy_{kLimits, {}};
  Observation seen_{.srtt = 40ms, .min_rtt = 40ms, .cwnd = 100, .mss = 1448};
  PathState path_{.round_trip = 40ms};
  base::Time now_{1h};
  BitRate rate_ = kLimits.start;
};

TEST_F(SymbiosisPolicyTest, WithoutTimesItGoesByTheEvents) {
  settle(20);
  EXPECT_EQ(rate_, kLimits.start);
  seen_.dupack = 1;
  EXPECT_EQ(decide().rate, 0.55 * kLimits.start);
  seen_.dupack = 0;
  settle(600);
  EXPECT_EQ(rate_, kLimits.max) << "quiet restores it";
}

// One who joins begins with what has been encoded since the last keyframe.
TEST_F(SymbiosisPolicyTest, DiscardsNothingOfWhoHasJustJoined) {
  path_.backlog = ByteCount{250'000};
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_FALSE(decision.discard);
  EXPECT_EQ(decision.skip, 0u);
}

TEST_F(SymbiosisPolicyTest, ClimbsToTheCapacityLessHeadroom) {
  carries(BitRate::mbps(5));
  settle();
  EXPECT_NEAR(mbps(), 4.5, 0.01);
}

TEST_F(SymbiosisPolicyTest, AStepIsVerifiedBeforeTheNext) {
  carries(BitRate::mbps(1));
  settle();
  const auto low = rate_;
  carries(BitRate::mbps(50));
  EXPECT_EQ(decide().rate, 3 * low) << "three times at most";
  EXPECT_EQ(decide().rate, 3 * low);
  EXPECT_EQ(decide().rate, 3 * low) << "a round trip and two frames";
  decide();
  EXPECT_EQ(decide().rate, kLimits.max);
}

// The limit is of what has been verified; a small step need not be first.
TEST_F(SymbiosisPolicyTest, ASmallStepDoesNotDelayWhatTrainsTell) {
  carries(BitRate::mbps(1));
  settle();
  const auto low = rate_;
  carries(BitRate::mbps(1.1));
  EXPECT_EQ(decide().reason, Reason::kStep);
  carries(BitRate::mbps(50));
  EXPECT_EQ(decide().rate, 3 * low);
  EXPECT_EQ(settle(2).rate, 3 * low);
  decide();
  EXPECT_EQ(decide().rate, kLimits.max) << "a round trip and two frames after the first";
}

// The kernel's least round trip is of the last five minutes.
TEST_F(SymbiosisPolicyTest, AStepIsVerifiedAfterTheRoundTripThatThereIs) {
  carries(BitRate::mbps(1));
  settle();
  seen_.srtt = path_.round_trip = 340ms;
  carries(BitRate::mbps(50));
  const auto first = decide().rate;
  EXPECT_EQ(settle(10).rate, first);
  EXPECT_GT(settle(5).rate, first);
}

TEST_F(SymbiosisPolicyTest, FallsWithTheFirstEvidence) {
  carries(BitRate::mbps(5));
  settle();
  path_.drain_rate = BitRate::mbps(1);
  const auto decision = decide();
  EXPECT_LE(decision.rate, BitRate::mbps(0.9));
  EXPECT_EQ(decision.reason, Reason::kCapacity);
}

TEST_F(SymbiosisPolicyTest, DrainsWhatWaits) {
  carries(BitRate::mbps(5));
  settle();
  path_.capacity = BitRate::mbps(2);
  path_.queueing_delay = 100ms;
  path_.backlog = ByteCount{20'000};  // 80 ms
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_LT(decision.rate, BitRate::mbps(0.7)) << "a tenth of a second for what waits";
  EXPECT_EQ(decision.reason, Reason::kBacklog);
  EXPECT_EQ(decision.skip, 0u);
  EXPECT_FALSE(decision.discard);
}

TEST_F(SymbiosisPolicyTest, SkipsAndThenDiscardsWhatIsLate) {
  carries(BitRate::mbps(5));
  settle();
  path_.capacity = BitRate::mbps(1);
  path_.backlog = ByteCount{20'000};  // 160 ms
  seen_.discardable = true;
  decide();
  const auto late = decide();
  EXPECT_EQ(late.skip, 1u);
  EXPECT_FALSE(late.discard);
  path_.capacity = BitRate::mbps(0.3);  // 533 ms
  EXPECT_TRUE(decide().discard);
}

TEST_F(SymbiosisPolicyTest, JumpsBackWhenTheBacklogIsGone) {
  carries(BitRate::mbps(5));
  settle();
  path_.backlog = ByteCount{200'000};
  path_.queueing_delay = 300ms;
  decide();
  EXPECT_LT(mbps(), 1);
  path_.backlog = {};
  path_.queueing_delay = {};
  settle(30);
  EXPECT_NEAR(mbps(), 4.5, 0.01);
}

TEST_F(SymbiosisPolicyTest, DoesNotRiseRightAfterAFall) {
  carries(BitRate::mbps(5));
  settle();
  path_.drain_rate = BitRate::mbps(1);
  const auto low = decide().rate;
  path_.drain_rate = {};
  EXPECT_EQ(decide(100ms).rate, low);
  EXPECT_GT(decide(100ms).rate, low);
}

TEST_F(SymbiosisPolicyTest, WhatTheWindowLetsThroughIsAllThereIs) {
  carries(BitRate::mbps(5));
  settle();
  path_.cwnd_rate = BitRate::mbps(2);
  path_.backlog = ByteCount{30'000};
  decide();
  EXPECT_LT(mbps(), 1.8);
}

TEST_F(SymbiosisPolicyTest, LittleMoreOrLessIsNotFollowed) {
  carries(BitRate::mbps(5));
  settle();
  for (const double capacity : {4.8, 5.1, 4.9, 5.0}) {
    path_.capacity = BitRate::mbps(capacity);
    EXPECT_EQ(decide().reason, Reason::kHold) << capacity;
  }
}

TEST_F(SymbiosisPolicyTest, TimeoutSendsLittleAndDiscards) {
  carries(BitRate::mbps(5));
  settle();
  seen_.rexmt = 1;
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_NEAR(mbps(), 0.4 * 4.5, 0.01);
  EXPECT_EQ(decision.reason, Reason::kRexmt);
  EXPECT_TRUE(decision.discard);
}

/// The path was known to carry 5 Mbit/s; now a timeout and a backlog have left next to nothing.
class AfterTimeoutTest : public SymbiosisPolicyTest {
 protected:
  AfterTimeoutTest() {
    carries(BitRate::mbps(5));
    settle();
    path_.capacity_recent = path_.upper_bound_recent = path_.train_recent = path_.trains_agree =
        false;
    path_.frame_size = ByteCount{20'000};
    path_.transit = 5ms;
    time_out();
  }
  void time_out() {
    seen_.rexmt = 1;
    path_.backlog = ByteCount{100'000};
    EXPECT_LE(decide().rate, kLimits.min);
    seen_.rexmt = 0;
    path_.backlog = {};
  }
};

TEST_F(AfterTimeoutTest, TheFirstStepIsToWhatItWouldHaveLeftAlone) {
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.4 * 4.5), 1, 0.01);
  const auto first = rate_;
  EXPECT_NEAR(decide(150ms).rate / first, 1.5, 0.01);
}

TEST_F(AfterTimeoutTest, NotAfterAnotherOneAtThatRate) {
  decide(150ms);
  time_out();
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.4 * 0.4 * 4.5), 1, 0.01);
}

// Retransmissions of what the first one was about.
TEST_F(AfterTimeoutTest, OthersBeforeThatChangeNothing) {
  time_out();
  time_out();
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.4 * 4.5), 1, 0.01);
}

TEST_F(AfterTimeoutTest, ButNotBeyondWhatThePathIsKnownToCarry) {
  path_.capacity = BitRate::mbps(1);
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.9), 1, 0.05);
}

// A second timeout in a row: the keyframe that recovers from the first one's discard waits there.
TEST_F(SymbiosisPolicyTest, WhatMendsADiscardIsNotDiscarded) {
  carries(BitRate::mbps(5));
  settle();
  seen_.rexmt = 1;
  seen_.discardable = true;
  EXPECT_TRUE(decide().discard);
  EXPECT_FALSE(decide(500ms).discard);
  EXPECT_TRUE(decide(600ms).discard);
}

TEST_F(SymbiosisPolicyTest, NothingIsDiscardedWhereTcpHasAll) {
  carries(BitRate::mbps(5));
  settle();
  seen_.rexmt = 1;
  EXPECT_FALSE(decide().discard);
  seen_.discardable = true;
  EXPECT_TRUE(decide().discard) << "what comes behind it is late all the same";
}

TEST_F(SymbiosisPolicyTest, FastRetransmitLeavesWhatItsWindowLetsThrough) {
  carries(BitRate::mbps(5));
  settle();
  seen_.dupack = 1;
  seen_.ssthresh = 10;  // 2.9 Mbit/s
  const auto decision = decide();
  EXPECT_NEAR(mbps(), 0.9 * 10 * 1448 * 8 / 0.04 / 1e6, 0.01);
  EXPECT_EQ(decision.reason, Reason::kDupack);
}

// A loss that no queue has caused: the window is still large enough.
TEST_F(SymbiosisPolicyTest, FastRetransmitWithALargeWindowChangesNothing) {
  carries(BitRate::mbps(5));
  settle();
  seen_.dupack = 1;
  seen_.ssthresh = 70;
  EXPECT_EQ(decide().reason, Reason::kHold);
}

class WindowTest : public SymbiosisPolicyTest {
 protected:
  WindowTest() {
    carries(BitRate::mbps(8));
    seen_.ssthresh = 5;
    seen_.cwnd = 5;
    settle(100);
  }
  /// The most that is asked for in a second.
  std::uint32_t asked() {
    std::uint32_t most = 0;
    for (int i = 0; i < 30; ++i) most = std::max(most, decide().window);
    return most;
  }
};

// 6 Mbit/s over 40 ms and a frame, and a quarter more.
TEST_F(WindowTest, IsWhatThePathNeeds) { EXPECT_NEAR(asked(), 47, 2); }

TEST_F(WindowTest, IsRightWhenItIsLargeEnough) {
  seen_.cwnd = 60;
  EXPECT_EQ(asked(), 0u);
}

TEST_F(WindowTest, IsTcpsWhileAQueueMayHaveCausedTheLoss) {
  seen_.srtt = 65ms;
  EXPECT_EQ(asked(), 0u);
}

TEST_F(WindowTest, IsWhatALongerWayNeeds) {
  seen_.srtt = path_.round_trip = 100ms;
  EXPECT_GT(asked(), 80u);
}

TEST_F(WindowTest, IsTcpsWhileItRecovers) {
  seen_.recovering = true;
  EXPECT_EQ(asked(), 0u);
}

TEST_F(WindowTest, IsTcpsBesideOthers) {
  path_.cross_traffic = true;
  EXPECT_EQ(asked(), 0u);
}

// TCP's pace, of the window over the round trip, would hide what the path carries more.
TEST_F(WindowTest, HasRoomForTheNextStepAfterALeap) {
  carries(BitRate::mbps(1));
  seen_.srtt = path_.round_trip + 30ms;
  settle();
  seen_.srtt = path_.round_trip;
  seen_.cwnd = 10;
  EXPECT_EQ(settle(60).window, 0u);
  carries(BitRate::mbps(2.4));
  EXPECT_NEAR(decide().window, 47, 2) << "three times 2.2 Mbit/s, at most 6";
}

TEST_F(WindowTest, IsTcpsForASecondAfterAQueue) {
  path_.drain_rate = BitRate::mbps(1);
  seen_.srtt = 65ms;
  decide();
  path_.drain_rate = {};
  seen_.srtt = 40ms;
  EXPECT_EQ(settle(25).window, 0u);
  EXPECT_GT(asked(), 0u);
}

// The frames waited for the window, not for the path.
TEST_F(WindowTest, IsSetRightAfterAFallThatItHasCaused) {
  path_.cwnd_rate = BitRate::mbps(1);
  path_.queueing_delay = 60ms;
  decide();
  path_.cwnd_rate = {};
  path_.queueing_delay = {};
  EXPECT_GT(asked(), 0u);
}

/// BBR would hold still after ten seconds.
class RenewalTest : public SymbiosisPolicyTest {
 protected:
  RenewalTest() {
    carries(BitRate::mbps(8));
    seen_.bbr = true;
    seen_.in_flight = ByteCount{20'000};
    settle(30);
  }
  /// How often it begins anew in 20 s.
  int renewals() {
    int count = 0;
    for (int i = 0; i < 606; ++i) count += decide().window > 0;
    return count;
  }
};

TEST_F(RenewalTest, ComesBeforeTenSeconds) { EXPECT_EQ(renewals(), 2); }

TEST_F(RenewalTest, LeavesTheWindowAsItIs) {
  std::uint32_t window = 0;
  for (int i = 0; i < 303; ++i) window = std::max(window, decide().window);
  EXPECT_EQ(window, seen_.cwnd);
}

// BBR is holding still.
TEST_F(RenewalTest, GivesTheWindowThatTheRateNeeds) {
  seen_.cwnd = 4;
  std::uint32_t window = 0;
  for (int i = 0; i < 303; ++i) window = std::max(window, decide().window);
  EXPECT_NEAR(window, 47, 2) << "6 Mbit/s over 40 ms and a frame, and a quarter more";
}

TEST_F(RenewalTest, IsForBbr) {
  seen_.bbr = false;
  EXPECT_EQ(renewals(), 0);
}

TEST_F(RenewalTest, WaitsForTheEndOfARecovery) {
  seen_.recovering = true;
  EXPECT_EQ(renewals(), 0);
}

TEST_F(RenewalTest, IsNotNeededByWhoPausesBetweenFrames) {
  seen_.in_flight = {};
  EXPECT_EQ(renewals(), 0);
}

TEST_F(RenewalTest, IsNotForAPathThatHasBecomeLonger) {
  seen_.srtt = 65ms;
  EXPECT_EQ(renewals(), 0);
}

// A frame of 4 kB takes 27 ms at 1.2 Mbit/s.
TEST_F(RenewalTest, ComesWhereFramesTakeLong) {
  carries(BitRate::mbps(1.2));
  path_.frame_size = ByteCount{4'000};
  seen_.srtt += 30ms;
  EXPECT_EQ(renewals(), 2);
}

TEST_F(RenewalTest, ComesBesideOthersToo) {
  seen_.srtt = 140ms;
  path_.cross_traffic = true;
  EXPECT_EQ(renewals(), 2);
}

TEST_F(SymbiosisPolicyTest, BesideOthersTheWindowSaysWhatOursIs) {
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  path_.queueing_delay = 100ms;
  EXPECT_EQ(decide().reason, Reason::kHold) << "their queue is not ours to drain";
  path_.cwnd_rate = BitRate::mbps(3);
  settle(10);
  EXPECT_NEAR(mbps(), 0.97 * 3, 0.01);
  path_.cwnd_rate = {};
  seen_.cwnd = 40;
  seen_.srtt = 140ms;
  settle(10);
  EXPECT_NEAR(mbps(), 0.97 * 40 * 1448 * 8 / 0.14 / 1e6, 0.01) << "what the window has room for";
  seen_.cwnd = 100;
  settle(10);
  EXPECT_NEAR(mbps(), 0.53 * 8, 0.01) << "there are two of us";
}

// Its window is of what the path carried before they came.
TEST_F(SymbiosisPolicyTest, BesideOthersBbrTakesItsShareByAndBy) {
  seen_.bbr = true;
  carries(BitRate::mbps(8));
  settle();
  path_.drain_rate = BitRate::mbps(1);
  decide();
  ASSERT_LT(mbps(), 1);
  path_.drain_rate = {};
  path_.cross_traffic = true;
  seen_.srtt = 140ms;
  const auto before = mbps();
  settle(5);
  EXPECT_NEAR(mbps(), 1.5 * before, 0.01);
  settle(60);
  EXPECT_NEAR(mbps(), 4, 0.01);
}

TEST_F(SymbiosisPolicyTest, BesideOthersALossLeavesWhatItsWindowLetsThrough) {
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  seen_.srtt = 140ms;
  settle(10);
  path_.backlog = ByteCount{40'000};
  seen_.dupack = 1;
  seen_.ssthresh = 28;
  decide();
  EXPECT_NEAR(mbps(), 0.9 * 28 * 1448 * 8 / 0.14 / 1e6, 0.01) << "their queue is not drained";
  seen_.dupack = 0;
  seen_.recovering = true;
  settle(10);
  EXPECT_NEAR(mbps(), 0.97 * 28 * 1448 * 8 / 0.14 / 1e6, 0.01) << "the window is still larger";
}

// A burst into a full queue is lost; before a loss has shown that it is full, it is not.
TEST_F(SymbiosisPolicyTest, BesideOthersWhatHasLostIsSpread) {
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  EXPECT_EQ(decide().pacing, BitRate::mbps(20));
  seen_.dupack = 1;
  EXPECT_EQ(decide().pacing, BitRate::mbps(8));
  seen_.dupack = 0;
  EXPECT_EQ(decide(4s).pacing, BitRate::mbps(8));
  EXPECT_EQ(decide(2s).pacing, BitRate::mbps(20));
}

TEST_F(SymbiosisPolicyTest, ATokenBucketIsTheCeiling) {
  carries(BitRate::mbps(100));
  path_.policer_rate = BitRate::mbps(3);
  settle();
  EXPECT_NEAR(mbps(), 0.95 * 3, 0.01);
}

TEST_F(SymbiosisPolicyTest, WithoutTrainsItStepsWhileFramesPassQuickly) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{15'000};
  path_.transit = 5ms;
  settle();
  EXPECT_EQ(rate_, kLimits.max);
}

TEST_F(SymbiosisPolicyTest, WithoutTrainsAFullPathIsLeftAlone) {
  path_.capacity = BitRate::mbps(2);
  path_.capacity_recent = true;  // frames agree
  path_.transit = 32ms;
  settle(200);
  EXPECT_LE(mbps(), 2);
}

TEST_F(SymbiosisPolicyTest, ContentThatNeedsLittleProvesNothing) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{1'000};
  path_.transit = 2ms;
  settle(200);
  EXPECT_EQ(rate_, kLimits.start);
}

TEST_F(SymbiosisPolicyTest, PaddingIsAtMostThreePercent) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{1'000};
  path_.transit = 2ms;
  std::int64_t padding = 0;
  for (int i = 0; i < 3000; ++i) {
    seen_.delivered += ByteCount{4'000};
    padding += decide().padding.bytes();
  }
  EXPECT_GT(padding, 0);
  EXPECT_LE(padding, 3 * seen_.delivered.bytes() / 100);
}

TEST_F(SymbiosisPolicyTest, PaddingProbesAPathThatSeemsSlow) {
  path_.capacity = BitRate::mbps(0.6);
  path_.frame_size = ByteCount{1'500};
  path_.transit = 55ms;
  seen_.delivered = ByteCount{10'000'000};
  EXPECT_GT(decide().padding.bytes(), 0);
}

// Frames agree with the capacity, which may be too low all the same.
TEST_F(SymbiosisPolicyTest, WhereFramesAgreePaddingComesMoreAndMoreSeldom) {
  path_.capacity = BitRate::mbps(0.6);
  path_.capacity_recent = true;
  path_.frame_size = ByteCount{1'500};
  path_.transit = 30ms;
  const auto padded = [this](int seconds) {
    int count = 0;
    for (int i = 0; i < 30 * seconds; ++i) {
      seen_.delivered += ByteCount{4'000};
      count += decide().padding.bytes() > 0 ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(padded(20), 4) << "after 2, 4 and 8 s";
  EXPECT_EQ(padded(64), 2);
  path_.upper_bound_recent = true;
  EXPECT_EQ(padded(64), 0);
}

// After an outage it would only wait with the rest.
TEST_F(SymbiosisPolicyTest, NothingIsPaddedInARecovery) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{1'000};
  seen_.delivered = ByteCount{10'000'000};
  seen_.recovering = true;
  EXPECT_EQ(decide().padding.bytes(), 0);
  seen_.recovering = false;
  EXPECT_GT(decide().padding.bytes(), 0);
}

// The newest frame may have been of a higher rate.
TEST_F(SymbiosisPolicyTest, PaddingMakesATrainOfTheNextFrame) {
  carries(BitRate::mbps(1));
  settle();
  path_.capacity_recent = path_.train_recent = path_.trains_agree = false;
  path_.frame_size = ByteCount{11'000};
  path_.transit = 25ms;
  seen_.delivered = ByteCount{10'000'000};
  const auto padding = decide().padding;
  EXPECT_GT((padding + rate_ * 33ms).bytes(), 7 * 1448);
}

// Of segments of 9000 bytes, or loopback's, none can be made.
TEST_F(SymbiosisPolicyTest, NothingIsPaddedThatMakesNoTrain) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{8'000};
  seen_.mss = 8948;
  seen_.delivered = ByteCount{10'000'000};
  EXPECT_EQ(decide().padding.bytes(), 0);
}

TEST_F(SymbiosisPolicyTest, NothingIsPaddedWhereTrainsTell) {
  carries(BitRate::mbps(3));
  seen_.delivered = ByteCount{10'000'000};
  for (int i = 0; i < 300; ++i) EXPECT_EQ(decide().padding.bytes(), 0);
}

TEST_F(SymbiosisPolicyTest, APlayerThatDoesNotReadLowersNothing) {
  carries(BitRate::mbps(5));
  settle();
  seen_.receiver_limited = true;
  seen_.backlog = 500ms;
  path_.backlog = ByteCount{200'000};
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_EQ(decision.reason, Reason::kHold);
  EXPECT_FALSE(decision.discard) << "the queue's bound is its patience";
}

TEST_F(SymbiosisPolicyTest, TheLimitsHold) {
  carries(BitRate::kbps(100));
  path_.backlog = ByteCount{100'000};
  EXPECT_EQ(decide().rate, kLimits.min);
  path_ = {};
  carries(BitRate::mbps(1000));
  settle();
  EXPECT_EQ(rate_, kLimits.max);
}

// Faster than the path, for trains to show it; not so fast as to be a burst.
TEST_F(SymbiosisPolicyTest, PacesLessForSomeTimeAfterALoss) {
  carries(BitRate::mbps(8));
  EXPECT_EQ(decide().pacing, BitRate::mbps(20));
  seen_.dupack = 1;
  decide();
  seen_.dupack = 0;
  EXPECT_EQ(decide(4s).pacing, BitRate::mbps(12));
  EXPECT_EQ(decide(2s).pacing, BitRate::mbps(20));
}

// What an outage seems to leave of the path is no rate to repair it at.
TEST_F(SymbiosisPolicyTest, PacesLessForKnownPathsOnly) {
  seen_.dupack = 1;
  path_ = {.capacity = BitRate::kbps(171)};
  EXPECT_GE(decide().pacing, BitRate::mbps(10));
}

TEST_F(SymbiosisPolicyTest, PacesAtAMultipleOfThePath) {
  carries(BitRate::mbps(8));
  EXPECT_EQ(decide().pacing, BitRate::mbps(20));
  carries(BitRate::mbps(1));
  EXPECT_EQ(settle().pacing, BitRate::mbps(10));
}

}  // namespace
}  // namespace abr
