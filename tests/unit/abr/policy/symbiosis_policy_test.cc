#include "abr/policy/symbiosis_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr RateLimits kLimits{
    .min = BitRate::kbps(300), .max = BitRate::mbps(6), .start = BitRate::mbps(2)};

/// Observations and the path's state are made up here; tests/sim derives one from the other.
class SymbiosisPolicyTest : public testing::Test {
 protected:
  SymbiosisPolicyTest() { decide(); }

  Decision decide(base::Duration after = 33ms) {
    now_ += after;
    seen_.served = rate_;
    seen_.delivered += delivers_.value_or(seen_.transport.wire(rate_)) * after;
    const auto decision = policy_.decide(seen_, path_, now_);
    rate_ = decision.rate;
    return decision;
  }
  /// Decides `frames` times, a frame interval apart.
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
  std::optional<BitRate> delivers_;  ///< nullopt: all that is sent
};

TEST_F(SymbiosisPolicyTest, FollowsEventsUntilAFrameShowsTheCapacity) {
  settle(20);
  EXPECT_EQ(rate_, kLimits.start);
  seen_.dupack = 1;
  EXPECT_EQ(decide().rate, 0.55 * kLimits.start);
  seen_.dupack = 0;
  settle(600);
  EXPECT_EQ(rate_, kLimits.max) << "a quiet time restores the rate";
}

// A viewer that joins begins with the frames since the last keyframe.
TEST_F(SymbiosisPolicyTest, DiscardsNothingForAViewerThatHasJustJoined) {
  path_.backlog = ByteCount{250'000};
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_FALSE(decision.discard);
  EXPECT_EQ(decision.pause, 0ms);
}

TEST_F(SymbiosisPolicyTest, FollowsASlowReaderAndLetsThemRiseAgain) {
  carries(BitRate::mbps(5));
  settle();
  path_.reader_rate = BitRate::mbps(1);
  seen_.receiver_limited = true;
  seen_.backlog = 500ms;
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_NEAR(mbps(), 0.9, 0.01);
  EXPECT_EQ(decision.reason, Reason::kReader);
  EXPECT_NEAR(static_cast<double>(decision.sustains.bps()) / 1e6, 0.9, 0.01);
  EXPECT_TRUE(decision.discard);
  seen_.receiver_limited = false;
  seen_.backlog = {};
  settle();
  EXPECT_NEAR(mbps(), 0.9, 0.01) << "the path would carry more";
  path_.reader_rate = BitRate::mbps(2);
  settle();
  EXPECT_NEAR(mbps(), 1.8, 0.01);
}

TEST_F(SymbiosisPolicyTest, FollowsASlowReaderBeforeAFrameShowsTheCapacity) {
  path_.reader_rate = BitRate::mbps(1);
  decide();
  EXPECT_NEAR(mbps(), 0.9, 0.01);
  settle(600);
  EXPECT_NEAR(mbps(), 0.9, 0.01) << "a quiet time restores no more than they read";
  path_.reader_rate = BitRate::mbps(1.5);
  decide();
  EXPECT_NEAR(mbps(), 1.35, 0.01);
}

// Reader takes back its limit at eight times the rate that it found, which may be far below the
// maximum.
TEST_F(SymbiosisPolicyTest, RisesAfterASlowReaderBeforeAFrameShowsTheCapacity) {
  path_.reader_rate = BitRate::mbps(0.5);
  settle(600);
  EXPECT_NEAR(mbps(), 0.45, 0.01);
  path_.reader_rate = {};
  EXPECT_EQ(decide().reason, Reason::kRestore);
  EXPECT_EQ(rate_, kLimits.max) << "the quiet time had restored it";
}

TEST_F(SymbiosisPolicyTest, APausedPlayerChangesNothing) {
  carries(BitRate::mbps(5));
  settle();
  seen_.receiver_limited = true;
  settle();
  EXPECT_NEAR(mbps(), 4.5, 0.01);
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
  EXPECT_EQ(decide().rate, 3 * low) << "at most three times the verified rate";
  EXPECT_EQ(decide().rate, 3 * low);
  EXPECT_EQ(decide().rate, 3 * low) << "verifying takes a round trip and two frames";
  decide();
  EXPECT_EQ(decide().rate, kLimits.max);
}

// The limit is a multiple of the verified rate. A small step need not be verified first.
TEST_F(SymbiosisPolicyTest, ASmallStepDoesNotDelayARiseToTheCapacity) {
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

// The kernel's minimum RTT covers the last five minutes.
TEST_F(SymbiosisPolicyTest, VerifyingAStepTakesThePresentRoundTrip) {
  carries(BitRate::mbps(1));
  settle();
  seen_.srtt = path_.round_trip = 340ms;
  carries(BitRate::mbps(50));
  const auto first = decide().rate;
  EXPECT_EQ(settle(10).rate, first);
  EXPECT_GT(settle(5).rate, first);
}

TEST_F(SymbiosisPolicyTest, FallsAtTheFirstSignOfALowerCapacity) {
  carries(BitRate::mbps(5));
  settle();
  path_.drain_rate = BitRate::mbps(1);
  const auto decision = decide();
  EXPECT_LE(decision.rate, BitRate::mbps(0.9));
  EXPECT_EQ(decision.reason, Reason::kCapacity);
}

TEST_F(SymbiosisPolicyTest, FallsBelowTheCapacityToDrainABacklog) {
  carries(BitRate::mbps(5));
  settle();
  path_.capacity = BitRate::mbps(2);
  path_.queueing_delay = 100ms;
  path_.backlog = ByteCount{20'000};  // 80 ms
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_LT(decision.rate, BitRate::mbps(0.7)) << "the backlog drains within a tenth of a second";
  EXPECT_EQ(decision.reason, Reason::kBacklog);
  EXPECT_EQ(decision.pause, 0ms);
  EXPECT_FALSE(decision.discard);
}

TEST_F(SymbiosisPolicyTest, SkipsFramesAndThenDiscardsLateOnes) {
  carries(BitRate::mbps(8));
  settle();
  path_.backlog = ByteCount{160'000};  // 160 ms
  seen_.discardable = true;
  decide();
  const auto late = decide();
  EXPECT_GT(rate_, kLimits.min);
  EXPECT_EQ(late.pause, seen_.frame_interval) << "one frame";
  EXPECT_FALSE(late.discard);
  path_.capacity = BitRate::mbps(0.3);  // 4.3 s
  EXPECT_TRUE(decide().discard);
}

TEST_F(SymbiosisPolicyTest, ThePicturePausesOnlyAtTheLowestRate) {
  seen_.transport.audio = seen_.transport.fixed = BitRate::kbps(40);
  seen_.in_flight = ByteCount{10'000};
  carries(BitRate::mbps(5));
  settle();
  EXPECT_EQ(decide().pause, 0ms);
  path_.capacity = BitRate::kbps(100);
  path_.backlog = ByteCount{9'000};
  decide();
  EXPECT_EQ(rate_, kLimits.min);
  EXPECT_GT(decide().pause, 300ms);
  seen_.receiver_limited = true;
  EXPECT_EQ(decide().pause, 0ms) << "the player does not read: the path is as good as before";
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

TEST_F(SymbiosisPolicyTest, StaysBelowTheRateThatTheWindowAllows) {
  carries(BitRate::mbps(5));
  settle();
  path_.cwnd_rate = BitRate::mbps(2);
  path_.backlog = ByteCount{30'000};
  decide();
  EXPECT_LT(mbps(), 1.8);
}

TEST_F(SymbiosisPolicyTest, IgnoresSmallChangesOfTheCapacity) {
  carries(BitRate::mbps(5));
  settle();
  for (const double capacity : {4.8, 5.1, 4.9, 5.0}) {
    path_.capacity = BitRate::mbps(capacity);
    EXPECT_EQ(decide().reason, Reason::kHold) << capacity;
  }
}

TEST_F(SymbiosisPolicyTest, ATimeoutLowersTheRateAndDiscards) {
  carries(BitRate::mbps(5));
  settle();
  seen_.rexmt = 1;
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_NEAR(mbps(), 0.4 * 4.5, 0.01);
  EXPECT_EQ(decision.reason, Reason::kRexmt);
  EXPECT_TRUE(decision.discard);
}

/// The path was known to carry 5 Mbit/s; a timeout and a backlog have left the minimum rate.
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

TEST_F(AfterTimeoutTest, TheFirstStepReachesTheRateThatTheTimeoutAloneWouldHaveLeft) {
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.4 * 4.5), 1, 0.01);
  const auto first = rate_;
  EXPECT_NEAR(decide(150ms).rate / first, 1.5, 0.01);
}

TEST_F(AfterTimeoutTest, TheFirstStepIsLowerAfterATimeoutAtThatRate) {
  decide(150ms);
  time_out();
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.4 * 0.4 * 4.5), 1, 0.01);
}

// They are further timeouts of the same data.
TEST_F(AfterTimeoutTest, TimeoutsBeforeTheFirstStepChangeNothing) {
  time_out();
  time_out();
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.4 * 4.5), 1, 0.01);
}

TEST_F(AfterTimeoutTest, TheFirstStepStaysBelowTheCapacity) {
  path_.capacity = BitRate::mbps(1);
  EXPECT_NEAR(decide(150ms).rate / BitRate::mbps(0.9), 1, 0.05);
}

// At the second timeout, the keyframe that recovers from the first discard is queued.
TEST_F(SymbiosisPolicyTest, DoesNotDiscardTheFrameThatRecoversFromADiscard) {
  carries(BitRate::mbps(5));
  settle();
  seen_.rexmt = 1;
  seen_.discardable = true;
  EXPECT_TRUE(decide().discard);
  EXPECT_FALSE(decide(500ms).discard);
  EXPECT_TRUE(decide(600ms).discard);
}

TEST_F(SymbiosisPolicyTest, DiscardsNothingIfTcpHasAllFrames) {
  carries(BitRate::mbps(5));
  settle();
  seen_.rexmt = 1;
  EXPECT_FALSE(decide().discard);
  seen_.discardable = true;
  EXPECT_TRUE(decide().discard) << "later frames are late all the same";
}

TEST_F(SymbiosisPolicyTest, AFastRetransmitLeavesTheRateThatItsWindowAllows) {
  carries(BitRate::mbps(5));
  settle();
  seen_.dupack = 1;
  seen_.ssthresh = 10;  // 2.9 Mbit/s
  const auto decision = decide();
  EXPECT_NEAR(mbps(), 0.9 * 10 * 1448 * 8 / 0.04 / 1e6, 0.01);
  EXPECT_EQ(decision.reason, Reason::kDupack);
}

// After a loss that no queue caused, the window is still large enough.
TEST_F(SymbiosisPolicyTest, AFastRetransmitWithALargeWindowChangesNothing) {
  carries(BitRate::mbps(5));
  settle();
  seen_.dupack = 1;
  seen_.ssthresh = 70;
  EXPECT_EQ(decide().reason, Reason::kHold);
}

TEST_F(SymbiosisPolicyTest, TheWindowIsOurShareNextToCrossTraffic) {
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  path_.queueing_delay = 100ms;
  EXPECT_EQ(decide().reason, Reason::kHold) << "the queue is not ours to drain";
  path_.cwnd_rate = BitRate::mbps(3);
  settle(10);
  EXPECT_NEAR(mbps(), 0.97 * 3, 0.01);
  path_.cwnd_rate = {};
  seen_.cwnd = 40;
  seen_.srtt = 140ms;
  settle(10);
  EXPECT_NEAR(mbps(), 0.97 * 40 * 1448 * 8 / 0.14 / 1e6, 0.01)
      << "the rate that the window has room for";
  seen_.cwnd = 100;
  settle(10);
  EXPECT_NEAR(mbps(), 0.53 * 8, 0.01) << "there are at least two of us";
}

TEST_F(SymbiosisPolicyTest, ChecksNowAndThenWhetherTheCrossTrafficHasGone) {
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  path_.queueing_delay = path_.queue = 100ms;
  seen_.srtt = 140ms;
  seen_.cwnd = 100;
  path_.cwnd_rate = BitRate::mbps(3);
  settle(10);
  path_.cwnd_rate = {};
  settle(70);
  EXPECT_NEAR(mbps(), 0.53 * 8, 0.01);
  settle(20);
  EXPECT_LT(mbps(), 0.53 * 8 * 0.8);
  settle(30);
  EXPECT_NEAR(mbps(), 0.53 * 8, 0.01) << "others are still there";
}

// BBR's window suits the path before the cross traffic came.
TEST_F(SymbiosisPolicyTest, BbrTakesItsShareStepByStepNextToCrossTraffic) {
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

// A path that is ours alone, and has become slower, looks the same.
TEST_F(SymbiosisPolicyTest, TakesNoMoreNextToCrossTrafficThanArrives) {
  seen_.bbr = true;
  carries(BitRate::mbps(8));
  settle();
  path_.drain_rate = BitRate::mbps(0.6);
  decide();
  path_.drain_rate = {};
  path_.cross_traffic = true;
  seen_.srtt = 140ms;
  delivers_ = BitRate::mbps(0.6);
  settle(120);
  EXPECT_LT(mbps(), 0.6 * 1.5 * 1.5);
}

// In the first round trip of a recovery BBR's window is what arrives, and then what it was before.
TEST_F(SymbiosisPolicyTest, NextToCrossTrafficBbrsRecoveryTakesThreeTenthsAtMost) {
  seen_.bbr = true;
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  seen_.srtt = 140ms;
  settle(60);
  const auto before = mbps();
  seen_.recovering = true;
  path_.cwnd_rate = BitRate::mbps(3);
  settle(10);
  EXPECT_NEAR(mbps(), 0.7 * before, 0.01);
  path_.cwnd_rate = BitRate::mbps(0.5);
  settle(10);
  EXPECT_NEAR(mbps(), 1.5 * 0.5, 0.01) << "or what is a step more than arrives";
  seen_.recovering = false;
  settle(10);
  EXPECT_LT(mbps(), 0.5) << "the window is lasting";
}

TEST_F(SymbiosisPolicyTest, ATimeoutNextToCrossTrafficDoesNotDrainTheOthersQueue) {
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  path_.backlog = ByteCount{500'000};
  const auto before = mbps();
  seen_.rexmt = 1;
  decide();
  EXPECT_NEAR(mbps(), 0.4 * before, 0.01);
}

TEST_F(SymbiosisPolicyTest, ALossNextToCrossTrafficLeavesTheRateThatItsWindowAllows) {
  carries(BitRate::mbps(8));
  settle();
  path_.cross_traffic = true;
  seen_.srtt = 140ms;
  settle(10);
  path_.backlog = ByteCount{40'000};
  seen_.dupack = 1;
  seen_.ssthresh = 28;
  decide();
  EXPECT_NEAR(mbps(), 0.9 * 28 * 1448 * 8 / 0.14 / 1e6, 0.01) << "the queue is not ours to drain";
  seen_.dupack = 0;
  seen_.recovering = true;
  settle(10);
  EXPECT_NEAR(mbps(), 0.97 * 28 * 1448 * 8 / 0.14 / 1e6, 0.01) << "the window is still larger";
}

TEST_F(SymbiosisPolicyTest, StaysBelowTheRateOfATokenBucket) {
  carries(BitRate::mbps(100));
  path_.policer_rate = BitRate::mbps(3);
  settle();
  EXPECT_NEAR(mbps(), 0.95 * 3, 0.01);
}

TEST_F(SymbiosisPolicyTest, RisesWithoutTrainsWhileFramesPassQuickly) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{15'000};
  path_.transit = 5ms;
  settle();
  EXPECT_EQ(rate_, kLimits.max);
}

TEST_F(SymbiosisPolicyTest, DoesNotRiseWithoutTrainsOnAFullPath) {
  path_.capacity = BitRate::mbps(2);
  path_.capacity_recent = true;  // frames agree
  path_.transit = 32ms;
  settle(200);
  EXPECT_LE(mbps(), 2);
}

TEST_F(SymbiosisPolicyTest, DoesNotRiseWithoutTrainsOnSmallFrames) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{1'000};
  path_.transit = 2ms;
  settle(200);
  EXPECT_EQ(rate_, kLimits.start);
}

TEST_F(SymbiosisPolicyTest, SetsAWindowWithRoomForTheNextStepAfterALeap) {
  carries(BitRate::mbps(1));
  settle();
  seen_.ssthresh = seen_.cwnd = 10;
  EXPECT_EQ(settle().window, 0u);
  carries(BitRate::mbps(2.4));
  EXPECT_NEAR(decide().window, 47, 2) << "three times 2.2 Mbit/s, at most 6";
}

TEST_F(SymbiosisPolicyTest, LeavesTheWindowForASecondAfterAFallWithAQueue) {
  carries(BitRate::mbps(8));
  settle();
  path_.drain_rate = BitRate::mbps(1);
  seen_.srtt = 65ms;
  decide();
  path_.drain_rate = {};
  seen_.srtt = 40ms;
  seen_.ssthresh = seen_.cwnd = 5;
  std::uint32_t window = 0;
  for (int i = 0; i < 25; ++i) window = std::max(window, decide().window);
  EXPECT_EQ(window, 0u);
  for (int i = 0; i < 25; ++i) window = std::max(window, decide().window);
  EXPECT_GT(window, 0u);
}

TEST_F(SymbiosisPolicyTest, RenewsBbrOnlyWhileNothingWaits) {
  carries(BitRate::mbps(8));
  seen_.bbr = true;
  seen_.in_flight = ByteCount{20'000};
  path_.queueing_delay = 40ms;
  std::uint32_t window = 0;
  for (int i = 0; i < 300; ++i) window = std::max(window, decide().window);
  EXPECT_EQ(window, 0u);
  path_.queueing_delay = {};
  EXPECT_GT(decide().window, 0u);
}

TEST_F(SymbiosisPolicyTest, PadsOnlyWhileNothingWaits) {
  path_.capacity = BitRate::mbps(2);
  path_.frame_size = ByteCount{1'000};
  seen_.delivered = ByteCount{10'000'000};
  path_.queueing_delay = 40ms;
  EXPECT_EQ(decide().padding.bytes(), 0);
  path_.queueing_delay = {};
  EXPECT_GT(decide().padding.bytes(), 0);
}

TEST_F(SymbiosisPolicyTest, PadsNothingIfTheRateCannotRise) {
  carries(BitRate::mbps(8));
  settle();
  ASSERT_EQ(rate_, kLimits.max);
  path_.capacity_recent = path_.upper_bound_recent = false;
  path_.frame_size = ByteCount{1'000};
  seen_.delivered = ByteCount{10'000'000};
  EXPECT_EQ(decide().padding.bytes(), 0);
}

TEST_F(SymbiosisPolicyTest, PacesAtAMultipleOfTheCapacity) {
  carries(BitRate::mbps(8));
  EXPECT_EQ(decide().pacing, BitRate::mbps(20));
}

TEST_F(SymbiosisPolicyTest, HoldsTheRateIfThePlayerDoesNotRead) {
  carries(BitRate::mbps(5));
  settle();
  seen_.receiver_limited = true;
  seen_.backlog = 500ms;
  path_.backlog = ByteCount{200'000};
  seen_.discardable = true;
  const auto decision = decide();
  EXPECT_EQ(decision.reason, Reason::kHold);
  EXPECT_FALSE(decision.discard) << "the viewer queue's own bound applies";
}

TEST_F(SymbiosisPolicyTest, StaysWithinItsLimits) {
  carries(BitRate::kbps(100));
  path_.backlog = ByteCount{100'000};
  EXPECT_EQ(decide().rate, kLimits.min);
  path_ = {};
  carries(BitRate::mbps(1000));
  settle();
  EXPECT_EQ(rate_, kLimits.max);
}

}  // namespace
}  // namespace abr
