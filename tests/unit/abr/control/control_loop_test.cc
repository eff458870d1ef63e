#include "abr/control/control_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "abr/policy/make_policy.h"

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

/// Decides as the test says.
class ScriptedPolicy : public RatePolicy {
 public:
  explicit ScriptedPolicy(const Decision& next) : next_{next} {}
  Decision decide(const Observation&, const PathState&, base::Time) override { return next_; }

 private:
  const Decision& next_;
};

class ControlLoopTest : public testing::Test {
 protected:
  Actions turn(base::Duration after = 10ms) {
    return loop_.on_observation(observation_, stream_, now_ += after);
  }
  /// The same once short frames have passed at once.
  Actions turn_with_frame(base::Duration after) {
    const DeliveredFrame frame{.departed = now_, .acked = now_ + 40ms, .size = ByteCount{1400}};
    observation_.frames = {&frame, 1};
    const auto actions = turn(after);
    observation_.frames = {};
    return actions;
  }

  Decision decision_{.rate = BitRate::mbps(2), .sustains = BitRate::mbps(2)};
  ControlLoop loop_{std::make_unique<ScriptedPolicy>(decision_)};
  Observation observation_{.srtt = 40ms, .min_rtt = 40ms, .mss = 1448, .frame_interval = 33ms};
  StreamView stream_{.private_group = true};
  base::Time now_{1h};
};

TEST_F(ControlLoopTest, ReportsANewRateAndWhy) {
  turn();
  decision_.rate = BitRate::mbps(1);
  decision_.reason = Reason::kCapacity;
  const auto actions = turn();
  EXPECT_TRUE(actions.rate_changed);
  EXPECT_TRUE(actions.report);
  EXPECT_EQ(actions.decision.rate, BitRate::mbps(1));
}

TEST_F(ControlLoopTest, AViewerWhoHasBeenCalmForFiveSecondsIsNotPaced) {
  stream_.private_group = false;
  decision_.pacing = BitRate::mbps(10);
  turn();
  EXPECT_EQ(turn_with_frame(100ms).pacing, BitRate::mbps(10));
  EXPECT_EQ(turn(4800ms).pacing, BitRate::mbps(10));
  EXPECT_EQ(turn(200ms).pacing, BitRate{});
  observation_.dupack = 1;
  EXPECT_EQ(turn().pacing, BitRate::mbps(10));
  observation_.dupack = 0;
  EXPECT_EQ(turn(4900ms).pacing, BitRate::mbps(10));
}

TEST_F(ControlLoopTest, APrivateEncoderIsSampledAtEachFrame) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(turn_with_frame(100ms).calm);
  EXPECT_LE(loop_.next_sample(), now_);
  stream_.private_group = false;
  for (int i = 0; i < 100; ++i) turn_with_frame(100ms);
  EXPECT_TRUE(turn().calm);
  EXPECT_EQ(loop_.next_sample(), now_ + SampleInterval::kMax);
}

TEST(ControlLoopLimitsTest, FollowsLimitsThatTheOperatorChanges) {
  for (const auto kind : {PolicyKind::kSymbiosis, PolicyKind::kItcp}) {
    ControlLoop loop{make_policy({.policy = kind, .rate = {.start = BitRate::mbps(3)}})};
    const Observation quiet{.srtt = 40ms, .min_rtt = 40ms, .mss = 1448, .frame_interval = 33ms};
    base::Time now{1h};
    EXPECT_EQ(loop.start(now).rate, BitRate::mbps(3));
    EXPECT_FALSE(loop.on_observation(quiet, {}, now += 10ms).rate_changed);
    loop.set_limits({.min = BitRate::kbps(100), .max = BitRate::mbps(1)});
    const auto lower = loop.on_observation(quiet, {}, now += 10ms);
    EXPECT_TRUE(lower.rate_changed && lower.report);
    EXPECT_EQ(lower.decision.rate, BitRate::mbps(1));
    EXPECT_EQ(lower.decision.reason, Reason::kLimits);
    EXPECT_FALSE(loop.on_observation(quiet, {}, now += 10ms).rate_changed);
    loop.set_limits({.min = BitRate::mbps(2), .max = BitRate::mbps(4)});
    EXPECT_EQ(loop.on_observation(quiet, {}, now += 10ms).decision.rate, BitRate::mbps(2));
  }
}

TEST_F(ControlLoopTest, ReportsTheSustainedRateOnlyIfItChangesByMoreThanThreePercent) {
  EXPECT_TRUE(turn().report) << "the first one";
  EXPECT_FALSE(turn().report);
  decision_.sustains = BitRate::mbps(2.05);
  EXPECT_FALSE(turn().report);
  decision_.sustains = BitRate::mbps(2.07);
  EXPECT_TRUE(turn().report);
  EXPECT_FALSE(turn().report);
  decision_.sustains = BitRate::mbps(2);
  EXPECT_TRUE(turn().report);
  EXPECT_FALSE(turn().rate_changed);
}

TEST_F(ControlLoopTest, PausesOncePerEncodedFrame) {
  decision_.pause = 33ms;
  EXPECT_EQ(turn().pause, 33ms);
  EXPECT_EQ(turn().pause, std::nullopt) << "another ACK, the same backlog";
  EXPECT_EQ(turn(100ms).pause, std::nullopt) << "no frame has been encoded since";
  loop_.on_frame();
  EXPECT_EQ(turn().pause, 33ms);
}

TEST_F(ControlLoopTest, APauseMayEndSooner) {
  decision_.pause = 1s;
  turn();
  decision_.pause = 500ms;
  EXPECT_EQ(turn(100ms).pause, 500ms);
  EXPECT_EQ(turn(100ms).pause, std::nullopt) << "not later";
  decision_.pause = 0ms;
  EXPECT_EQ(turn(100ms).pause, 0ms);
  EXPECT_EQ(turn(100ms).pause, std::nullopt) << "it has ended";
}

TEST_F(ControlLoopTest, DiscardsOnlyIfAWholeFrameIsUnsent) {
  decision_.discard = true;
  EXPECT_FALSE(turn().discard);
  observation_.discardable = true;
  EXPECT_TRUE(turn().discard);
}

TEST_F(ControlLoopTest, APrivateEncoderRecoversFromADiscardAtOnce) {
  decision_.discard = observation_.discardable = true;
  decision_.pause = 33ms;
  observation_.backlog = 500ms;
  EXPECT_TRUE(turn().recover);
}

TEST_F(ControlLoopTest, AsksForRecoveryAgainAfterHalfASecond) {
  stream_.frames_missing = true;
  EXPECT_TRUE(turn().recover);
  EXPECT_FALSE(turn(490ms).recover);
  EXPECT_TRUE(turn(10ms).recover);
}

TEST_F(ControlLoopTest, AskingAgainDoesNotWaitAfterAnotherDiscard) {
  stream_.frames_missing = true;
  EXPECT_TRUE(turn().recover);
  decision_.discard = observation_.discardable = true;
  EXPECT_TRUE(turn().recover);
}

TEST_F(ControlLoopTest, ASharedGroupRecoversOnceTheFrameCanBeSent) {
  stream_ = {.private_group = false, .frames_missing = true};
  observation_.backlog = 34ms;
  EXPECT_FALSE(turn().recover);
  observation_.backlog = 33ms;
  decision_.pause = 33ms;
  EXPECT_FALSE(turn().recover);
  decision_.pause = 0ms;
  EXPECT_TRUE(turn().recover);
}

TEST_F(ControlLoopTest, NothingMissingNeedsNoRecovery) { EXPECT_FALSE(turn().recover); }

TEST_F(ControlLoopTest, PassesOnPaddingWindowAndPacing) {
  decision_.padding = ByteCount{3000};
  decision_.window = 40;
  decision_.pacing = BitRate::mbps(5);
  const auto actions = turn();
  EXPECT_EQ(actions.padding, ByteCount{3000});
  EXPECT_EQ(actions.window, 40u);
  EXPECT_EQ(actions.pacing, BitRate::mbps(5));
}

TEST_F(ControlLoopTest, ThePolicySeesThePathWithTheObservationIncluded) {
  const DeliveredFrame frame{.departed = now_,
                             .head_acked = now_ + 40ms,
                             .acked = now_ + 44ms,
                             .head = ByteCount{2896},
                             .size = ByteCount{2896 + 5000}};
  observation_.frames = {&frame, 1};
  turn(50ms);
  EXPECT_EQ(loop_.path().capacity, BitRate::mbps(10)) << "5000 bytes in 4 ms";
}

constexpr base::Time kCaptured{1h};
constexpr base::Duration kInterval = 40ms;

base::Duration sample_after(base::Duration age) {
  return *ControlLoop::next_sample_time(kCaptured, kInterval, true, true, kCaptured + age) -
         kCaptured;
}

TEST(NextSampleTimeTest, IsJustBeforeTheNextFrame) {
  EXPECT_EQ(sample_after(0ms), 37ms);
  EXPECT_EQ(sample_after(10ms), 37ms);
  EXPECT_EQ(sample_after(36ms), 37ms);
}

TEST(NextSampleTimeTest, LeavesOutAFrameThatIsTooSoon) {
  EXPECT_EQ(sample_after(37ms), 77ms);
  EXPECT_EQ(sample_after(39ms), 77ms);
}

TEST(NextSampleTimeTest, KeepsTheTimesOfFramesThatWereSkipped) {
  EXPECT_EQ(sample_after(130ms), 157ms);
}

TEST(NextSampleTimeTest, IsNeverIfTheNextFrameCannotChange) {
  EXPECT_FALSE(ControlLoop::next_sample_time(kCaptured, kInterval, false, true, kCaptured));
  EXPECT_FALSE(ControlLoop::next_sample_time(kCaptured, kInterval, true, false, kCaptured));
}

}  // namespace
}  // namespace abr
