// Each rule of Camel at work, on a link whose rate and queue the test sets.

#include "abr/comparison/camel_policy.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr std::uint32_t kMss = 1448;
constexpr ByteCount kHead{2 * kMss};

class CamelPolicyTest : public testing::Test {
 protected:
  CamelPolicyTest() { policy_.decide({}, {}, now_); }

  /// A frame that leaves behind `ahead` bytes; its head is acknowledged after `delay`, and the
  /// rest at the link's rate.
  Decision frame(BitRate link, ByteCount ahead = {}, base::Duration delay = 20ms,
                 ByteCount size = ByteCount{20'000}) {
    now_ += 10ms;
    seen_.in_flight = ahead;
    policy_.decide(seen_, {}, now_);
    const auto departed = now_ + 1ms;
    const auto head_acked = departed + delay;
    const bool train = size >= kHead + kHead;
    now_ = train ? head_acked + (size - kHead) / link
                 : departed + 20ms + (size - ByteCount{kMss}) / link;
    const DeliveredFrame delivered[]{
        {.departed = departed,
         .head_acked = train ? std::optional{head_acked} : std::nullopt,
         .acked = now_,
         .head = train ? kHead : ByteCount{},
         .size = size}};
    seen_.delivered += size;
    seen_.in_flight = {};
    seen_.frames = delivered;
    seen_.min_rtt = 20ms;
    seen_.mss = kMss;
    const auto decision = policy_.decide(seen_, {}, now_);
    seen_.frames = {};
    rate_ = decision.rate;
    return decision;
  }
  /// For `time`, frames leave, of which `lost` is sent again.
  Decision run(base::Duration time, double lost) {
    Decision decision;
    double again = 0;
    for (const auto end = now_ + time; now_ < end;) {
      again += lost * 20'000 / kMss;
      seen_.retransmits = before_ + static_cast<std::uint32_t>(again);
      decision = frame(BitRate::mbps(4));
    }
    before_ = seen_.retransmits;
    return decision;
  }

  CamelPolicy policy_{
      {.min = BitRate::kbps(300), .max = BitRate::mbps(10), .start = BitRate::mbps(2)}};
  Observation seen_;
  base::Time now_{1h};
  BitRate rate_;
  std::uint32_t before_ = 0;
};

TEST_F(CamelPolicyTest, TheRateIsThatAtWhichAFrameArrives) {
  EXPECT_NEAR(frame(BitRate::mbps(5)).rate / BitRate::mbps(5), 1, 0.01);
}

TEST_F(CamelPolicyTest, SmallFramesShowTheWholeRateToo) {
  const ByteCount small{4000};
  EXPECT_NEAR(frame(BitRate::mbps(5), {}, 20ms, small).rate / BitRate::mbps(5), 1, 0.01);
}

TEST_F(CamelPolicyTest, ANewRateCountsForATenth) {
  frame(BitRate::mbps(5));
  now_ += 200ms;
  EXPECT_NEAR(frame(BitRate::mbps(10)).rate / BitRate::mbps(5.5), 1, 0.01);
}

TEST_F(CamelPolicyTest, TheEncoderFollowsEvery200Milliseconds) {
  frame(BitRate::mbps(5));
  const auto held = frame(BitRate::mbps(10));
  EXPECT_EQ(held.reason, Reason::kHold);
  EXPECT_NEAR(held.rate / BitRate::mbps(5), 1, 0.01);
}

TEST_F(CamelPolicyTest, ADelayThatGrowsWithTheDataInFlightLowersTheRate) {
  frame(BitRate::mbps(5));
  for (int i = 1; i < 8; ++i) {  // 1.6 us per byte, the rate of the link
    frame(BitRate::mbps(5), ByteCount{10'000 * i}, 20ms + i * 16ms);
  }
  EXPECT_LT(rate_ / BitRate::mbps(5), 0.8);
  EXPECT_GT(rate_ / BitRate::mbps(5), 0.6);
}

TEST_F(CamelPolicyTest, ReturnsToTheBandwidthWithoutSuchADelay) {
  for (int i = 0; i < 8; ++i) frame(BitRate::mbps(5), ByteCount{10'000 * i}, 20ms + i * 16ms);
  for (int i = 0; i < 20; ++i) frame(BitRate::mbps(5), ByteCount{10'000 * (i % 2)}, 20ms);
  EXPECT_NEAR(rate_ / BitRate::mbps(5), 1, 0.02);
}

TEST_F(CamelPolicyTest, PacesWhatIsLongerThanABurst) {
  EXPECT_EQ(frame(BitRate::mbps(2)).pacing, BitRate{}) << "8 KB in a frame interval";
  now_ += 200ms;
  for (int i = 0; i < 60; ++i) frame(BitRate::mbps(9));
  const auto paced = frame(BitRate::mbps(9)).pacing;
  EXPECT_GT(paced, rate_) << "12 KB at once, the rest at the bandwidth";
  seen_.notsent = ByteCount{1'000'000};
  EXPECT_NEAR(frame(BitRate::mbps(9)).pacing / BitRate::mbps(9), 1, 0.05);
}

TEST_F(CamelPolicyTest, BurstsBecomeLongerWithoutLossAndShorterWithIt) {
  run(1s, 0);
  seen_.notsent = ByteCount{40'000};
  const auto first = frame(BitRate::mbps(4)).pacing;
  run(11s, 0);
  const auto longer = frame(BitRate::mbps(4)).pacing;
  EXPECT_GT(longer, first);
  run(21s, 0.2);
  EXPECT_LT(frame(BitRate::mbps(4)).pacing, longer);
}

TEST_F(CamelPolicyTest, LossOfTheShortestBurstFallsBackToGcc) {
  const auto camel = run(1s, 0);
  EXPECT_NEAR(camel.rate / BitRate::mbps(4), 1, 0.02);
  run(40s, 0.2);
  for (int i = 0; i < 20; ++i) frame(BitRate::mbps(9));
  EXPECT_LT(rate_, BitRate::mbps(4.5)) << "GCC does not know the bandwidth";
  run(10s, 0);
  EXPECT_NEAR(rate_ / BitRate::mbps(4), 1, 0.02);
}

TEST_F(CamelPolicyTest, StaysWithinTheLimits) {
  EXPECT_EQ(frame(BitRate::mbps(50)).rate, BitRate::mbps(10));
  for (int i = 0; i < 80; ++i) frame(BitRate::kbps(100));
  EXPECT_GE(rate_, BitRate::kbps(300));
  EXPECT_LT(rate_, BitRate::kbps(315)) << "a smaller change is not followed";
}

}  // namespace
}  // namespace abr
