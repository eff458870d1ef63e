// Each rule of Vidaptive at work, in virtual time.

#include "abr/comparison/vidaptive_policy.h"

#include <gtest/gtest.h>

#include <utility>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr base::Duration kInterval = 33ms;
constexpr base::Duration kRoundTrip = 40ms;

class VidaptivePolicyTest : public testing::Test {
 protected:
  VidaptivePolicyTest() { policy_.decide({}, {}, now_); }

  /// A frame of the decided rate: `wait` in the path's queue, `service` from its first to its last
  /// byte.
  Decision frame(base::Duration wait, base::Duration service) {
    now_ += kInterval;
    const auto size = rate_ * kInterval;
    const auto departed = now_ - service - wait - kRoundTrip;
    const DeliveredFrame delivered[]{{.departed = departed,
                                      .head_acked = now_ - service,
                                      .acked = now_,
                                      .head = ByteCount{2896},
                                      .size = size}};
    seen_.frames = delivered;
    seen_.delivered += size;
    seen_.srtt = kRoundTrip + wait;
    seen_.mss = 1448;
    seen_.frame_interval = kInterval;
    const auto decision = policy_.decide(seen_, {}, now_);
    seen_.frames = {};
    rate_ = decision.rate;
    return decision;
  }
  Decision frames(int count, base::Duration wait, base::Duration service) {
    Decision decision;
    for (int i = 0; i < count; ++i) decision = frame(wait, service);
    return decision;
  }

  VidaptivePolicy policy_{
      {.min = BitRate::kbps(300), .max = BitRate::mbps(10), .start = BitRate::mbps(2)}};
  Observation seen_;
  base::Time now_{1h};
  BitRate rate_ = BitRate::mbps(2);
};

TEST_F(VidaptivePolicyTest, CopaRisesFastUntilThereIsAQueue) {
  frames(6, 0ms, 5ms);
  EXPECT_GT(rate_, BitRate::mbps(6));
}

TEST_F(VidaptivePolicyTest, CopaGivesWayToAQueue) {
  frames(6, 0ms, 5ms);
  frames(60, 50ms, 5ms);
  // 1448 bytes / (0.9 * 50 ms) are 257 kbit/s.
  EXPECT_LT(rate_, BitRate::mbps(1));
}

TEST_F(VidaptivePolicyTest, CopaRestsWhereTheQueueIsItsShare) {
  frames(3, 0ms, 5ms);
  for (int i = 0; i < 200; ++i) {
    const bool fast = rate_ > BitRate::mbps(3);
    frame(fast ? 8ms : 1ms, 5ms);  // it aims at 1.6 or 12.9 Mbit/s
  }
  EXPECT_GT(rate_, BitRate::mbps(1.5));
  EXPECT_LT(rate_, BitRate::mbps(5));
}

TEST_F(VidaptivePolicyTest, ALongTimeWithoutSuchAQueueSpeedsItUp) {
  frames(6, 0ms, 5ms);
  frames(12, 50ms, 5ms);
  const auto first = rate_;
  frames(12, 50ms, 5ms);
  const auto second = rate_;
  EXPECT_LT(second / first, 0.9);
}

TEST_F(VidaptivePolicyTest, PacesWithTheRateOfTheCongestionControl) {
  const auto decision = frames(3, 0ms, 5ms);
  EXPECT_GE(decision.pacing, decision.rate);
  EXPECT_LE(decision.pacing, BitRate::mbps(20)) << "twice the highest rate, at most";
}

TEST_F(VidaptivePolicyTest, LongServiceTimesKeepTheTargetBelowThatRate) {
  const auto at_once = frames(20, 0ms, 5ms);
  EXPECT_EQ(at_once.rate, BitRate::mbps(10));
  const auto late = frames(300, 0ms, 60ms);  // each sends for 33 ms when the one before is done
  EXPECT_LT(late.rate / late.pacing, 0.95);
  EXPECT_GT(late.pacing, BitRate::mbps(15)) << "no queue in the path";
}

TEST_F(VidaptivePolicyTest, ShortServiceTimesGiveTheTargetTheWholeRate) {
  frames(4, 0ms, 5ms);
  frames(60, 6ms, 5ms);
  const auto decision = frame(6ms, 5ms);
  EXPECT_NEAR(decision.rate / decision.pacing, 1, 0.04);
}

TEST_F(VidaptivePolicyTest, PausesWhileTheOldestByteIsLate) {
  frames(3, 0ms, 5ms);
  seen_.notsent = ByteCount{40'000};
  EXPECT_EQ(frame(0ms, 5ms).pause, 0ms) << "it has just come";
  now_ += 34ms;
  const auto decision = policy_.decide(seen_, {}, now_);
  EXPECT_EQ(decision.pause, std::max(seen_.notsent / decision.pacing, seen_.frame_interval));
  seen_.in_flight = std::exchange(seen_.notsent, {});
  EXPECT_EQ(policy_.decide(seen_, {}, now_ + 1ms).pause, 0ms);
}

TEST_F(VidaptivePolicyTest, StaysWithinTheLimits) {
  frames(40, 0ms, 1ms);
  EXPECT_EQ(rate_, BitRate::mbps(10));
  frames(300, 400ms, 30ms);
  EXPECT_EQ(rate_, BitRate::kbps(300));
}

}  // namespace
}  // namespace abr
