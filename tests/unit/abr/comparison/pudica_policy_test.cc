// Each rule of Pudica at work, on a link that takes `load` of the frame interval for each frame.

#include "abr/comparison/pudica_policy.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr base::Duration kInterval = 33ms;
constexpr base::Duration kRoundTrip = 10ms;

class PudicaPolicyTest : public testing::Test {
 protected:
  PudicaPolicyTest() { policy_.decide({}, {}, now_); }

  /// A frame of the decided rate leaves, and its ACK shows that the link was busy for `ratio` of
  /// the interval.
  Decision frame(double ratio) {
    now_ += kInterval;
    const DeliveredFrame delivered[]{
        {.departed = now_ - kRoundTrip - base::from_seconds(ratio * base::seconds(kInterval)),
         .acked = now_,
         .size = rate_ * kInterval}};
    seen_.delivered += rate_ * kInterval;
    seen_.frames = delivered;
    seen_.frame_interval = kInterval;
    const auto decision = policy_.decide(seen_, {.round_trip = kRoundTrip}, now_);
    seen_.frames = {};
    rate_ = decision.rate;
    return decision;
  }
  Decision frames(int count, double ratio) {
    Decision decision;
    for (int i = 0; i < count; ++i) decision = frame(ratio);
    return decision;
  }

  PudicaPolicy policy_{
      {.min = BitRate::kbps(300), .max = BitRate::mbps(10), .start = BitRate::mbps(4)}};
  Observation seen_;
  base::Time now_{1h};
  BitRate rate_ = BitRate::mbps(4);
};

TEST_F(PudicaPolicyTest, PacesALittleFasterThanTheBottleneck) {
  const auto decision = frame(0.9);
  EXPECT_NEAR(decision.pacing / decision.rate, 1.25 / 0.9, 0.01);
  const auto full = frame(1.5);
  EXPECT_NEAR(full.pacing / full.rate, 1.25, 0.01) << "within one interval, at most";
}

TEST_F(PudicaPolicyTest, PacesAllThatIsUnsentWithinAnInterval) {
  seen_.notsent = ByteCount{100'000};
  EXPECT_GE(frame(0.9).pacing, BitRate::of(seen_.notsent, kInterval));
}

TEST_F(PudicaPolicyTest, ALowUtilizationMultipliesTheRate) {
  const double expected = 1 + 0.3 * (0.925 - 0.5) / 0.5;
  EXPECT_NEAR(frame(0.5).rate / BitRate::mbps(4), expected, 0.01);
}

TEST_F(PudicaPolicyTest, ALowerUtilizationMultipliesItByMore) {
  frame(0.8);
  EXPECT_LT(rate_, BitRate::mbps(4.3));
  frame(0.3);
  EXPECT_GT(rate_, BitRate::mbps(4.7));
}

TEST_F(PudicaPolicyTest, WaitsForTheFeedbackOfARaise) {
  const auto raised = frame(0.5).rate;
  now_ -= kInterval - 1ms;  // the next frame left before the raise
  EXPECT_EQ(frame(0.5).rate, raised);
}

TEST_F(PudicaPolicyTest, AHighUtilizationGivesRateToSlowerFlows) {
  // Half of the highest rate is where both flows meet: there the step is about 0.
  rate_ = BitRate::mbps(4);
  const auto slow = frame(0.95).rate;
  EXPECT_GT(slow, BitRate::mbps(4));
  EXPECT_LE(slow, BitRate::mbps(4 * 1.05 + 0.001));
  frames(20, 0.5);
  EXPECT_EQ(rate_, BitRate::mbps(10));
  frames(10, 0.95);
  EXPECT_LT(rate_, BitRate::mbps(9.9));
}

TEST_F(PudicaPolicyTest, ACongestedFrameLowersTheRateForOneFrame) {
  frame(1.2);
  EXPECT_NEAR(rate_ / BitRate::mbps(4), 0.85, 0.001);
  now_ += 1ms;
  const auto decision = frame(0.95);
  EXPECT_GE(decision.rate, BitRate::mbps(4));
}

TEST_F(PudicaPolicyTest, ALateFrameLowersTheRateBeforeItsAck) {
  frame(0.9);
  const auto before = rate_;
  seen_.in_flight = ByteCount{20'000};
  policy_.decide(seen_, {.round_trip = kRoundTrip}, now_);
  now_ += kInterval + kRoundTrip + 1ms;
  const auto decision = policy_.decide(seen_, {.round_trip = kRoundTrip}, now_);
  EXPECT_NEAR(decision.rate / before, 0.85, 0.001);
  EXPECT_EQ(decision.reason, Reason::kBacklog);
}

TEST_F(PudicaPolicyTest, ThreeCongestedFramesDrainTheQueue) {
  seen_.queued = ByteCount{10'000};
  frames(3, 2);
  // The frames took 2 + 1 + 1 intervals, and the queue goes within 200 ms.
  const auto received = BitRate::of(ByteCount{(16'500 + 2 * 14'025)}, 4 * kInterval);
  const auto drain = BitRate::of(ByteCount{10'000} - received * kRoundTrip, 200ms);
  EXPECT_NEAR(rate_ / (0.85 * received - drain), 1, 0.02);
}

TEST_F(PudicaPolicyTest, ReturnsToTheReceivedRateWhenTheQueueIsEmpty) {
  seen_.queued = ByteCount{30'000};
  frames(6, 2);
  const auto low = rate_;
  seen_.queued = {};
  const auto decision = frame(0.9);
  EXPECT_GT(decision.rate, low);
  EXPECT_LT(decision.rate, BitRate::mbps(4));
}

TEST_F(PudicaPolicyTest, StaysWithinTheLimits) {
  frames(40, 0.05);
  EXPECT_EQ(rate_, BitRate::mbps(10));
  seen_.queued = ByteCount{1'000'000};
  frames(40, 5);
  EXPECT_EQ(rate_, BitRate::kbps(300));
}

}  // namespace
}  // namespace abr
