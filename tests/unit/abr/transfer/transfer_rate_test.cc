#include "abr/transfer/transfer_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace abr {
namespace {

using namespace std::chrono_literals;

constexpr auto kRoundTrip = 40ms;
constexpr auto kSampleInterval = 50ms;

/// A sender whose transfers pass a link of a given rate, sampled every kSampleInterval.
class TransferRateTest : public testing::Test {
 protected:
  /// Sends `amount` at once, after which the link is idle for a while.
  void transfer(base::ByteCount amount, base::BitRate link) {
    const auto whole = amount / link + kRoundTrip;
    const auto begin = now_;
    while (now_ - begin < whole) {
      now_ += kSampleInterval;
      const auto busy = std::min<base::Duration>(now_ - begin, whole);
      const auto passed = std::max<base::Duration>(busy - kRoundTrip, 0ms);
      add_sample(link * passed, busy, busy == whole);
    }
    acked_ += amount;
    busy_ += whole;
    now_ += 100ms;
  }
  void add_sample(base::ByteCount passed, base::Duration busy, bool idle,
                  base::BitRate kernels = {}) {
    rate_.update(sample(passed, busy, idle, kernels));
  }
  TransferRate::Sample sample(base::ByteCount passed, base::Duration busy, bool idle,
                              base::BitRate kernels = {}) const {
    return {.at = now_,
            .acked = static_cast<std::uint64_t>((acked_ + passed).bytes()),
            .retransmits = retransmits_,
            .busy = whole_jiffies(busy_ + busy),
            .receiver_limited = held_,
            .min_rtt = kRoundTrip,
            .rtt = kRoundTrip,
            .delivery_rate = kernels,
            .window_limited = window_limited_,
            .idle = idle};
  }
  static base::Duration whole_jiffies(base::Duration d) { return d / 4ms * 4ms; }
  double mbps() const { return static_cast<double>(rate_.value()->bps()) / 1e6; }

  TransferRate rate_;
  base::Time now_{1h};
  base::ByteCount acked_;
  base::Duration busy_{};
  base::Duration held_{};
  std::uint64_t retransmits_ = 0;
  bool window_limited_ = false;
};

TEST_F(TransferRateTest, IsUnknownBeforeATransfer) { EXPECT_FALSE(rate_.value()); }

TEST_F(TransferRateTest, IsUnknownAfterOneWindow) {
  transfer(base::ByteCount{14'480}, base::BitRate::mbps(50));
  EXPECT_FALSE(rate_.value());
}

TEST_F(TransferRateTest, IsTheLinksRateForShortTransfers) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{40'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.4);
}

/// A player that opens a connection for each segment.
TEST_F(TransferRateTest, IsTheLinksRateForConnectionsThatFollowEachOther) {
  for (int i = 0; i < 3; ++i) {
    transfer(base::ByteCount{20'000}, base::BitRate::mbps(5));
    TransferRate next;
    next.follow(rate_);
    rate_ = next;
    acked_ = {};
    busy_ = {};
  }
  EXPECT_NEAR(mbps(), 5, 0.4);
}

TEST_F(TransferRateTest, IsTheLinksRateForALongTransfer) {
  transfer(base::ByteCount{1'000'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.3);
}

TEST_F(TransferRateTest, FallsBeforeATransferEnds) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  add_sample({}, 0ms, false);
  for (int i = 1; i <= 6; ++i) {
    now_ += kSampleInterval;
    add_sample(base::BitRate::mbps(1) * (i * kSampleInterval), i * kSampleInterval, false);
  }
  EXPECT_LT(mbps(), 1.5);
}

/// A long path, and a lost segment: nothing is acknowledged in order for two round trips.
TEST_F(TransferRateTest, CountsWhatArrivesBehindALoss) {
  const auto link = base::BitRate::mbps(5);
  base::ByteCount in_order, behind;
  for (int i = 1; i <= 60; ++i) {
    now_ += kSampleInterval;
    const bool recovering = i > 40 && i <= 50;
    (recovering ? behind : in_order) += link * kSampleInterval;
    if (i == 51) in_order += std::exchange(behind, {});
    auto now = sample(in_order, i * kSampleInterval, false);
    now.sacked = static_cast<std::uint64_t>(behind.bytes());
    rate_.update(now);
    if (i > 10) {
      EXPECT_NEAR(mbps(), 5, 0.4) << i;
    }
  }
}

TEST_F(TransferRateTest, SurvivesAReceiverThatDiscardsWhatItHas) {
  const auto link = base::BitRate::mbps(5);
  for (int i = 1; i <= 60; ++i) {
    now_ += kSampleInterval;
    auto now = sample(link * (i * kSampleInterval), i * kSampleInterval, false);
    if (i == 30) now.sacked = 10'000;
    rate_.update(now);
  }
  EXPECT_NEAR(mbps(), 5, 0.2);
}

/// The last segments of a transfer are lost. Nothing arrives until the retransmission timer
/// expires.
TEST_F(TransferRateTest, LeavesOutTheTimeInWhichALostSegmentIsMissing) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  const double before = mbps();
  add_sample({}, 0ms, false);
  for (int i = 1; i <= 10; ++i) {
    now_ += kSampleInterval;
    add_sample({}, i * kSampleInterval, false);
  }
  EXPECT_TRUE(rate_.is_silent());
  EXPECT_EQ(mbps(), 0);
  ++retransmits_;
  now_ += kSampleInterval;
  add_sample(base::ByteCount{100'000}, 11 * kSampleInterval, true);
  EXPECT_FALSE(rate_.is_silent());
  EXPECT_GE(mbps(), 0.9 * before);
  EXPECT_NEAR(base::seconds(rate_.repaired()), 0.46, 0.05);
}

TEST_F(TransferRateTest, LeavesOutTheTimeInWhichOnlyLostSegmentsAreMissing) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  const auto link = base::BitRate::mbps(5);
  for (int i = 0; i < 8; ++i) {
    auto now = sample(link * (i * kSampleInterval), i * kSampleInterval, i == 7);
    if (i >= 4) now = sample(link * 150ms, i * kSampleInterval, i == 7);
    now.repairing = i >= 4 && i < 7;
    rate_.update(now);
    now_ += kSampleInterval;
  }
  EXPECT_NEAR(mbps(), 5, 0.5);
  EXPECT_NEAR(base::seconds(rate_.repaired()), 0.15, 0.02);
}

/// A path that has become so slow that segments are further apart than a round trip.
TEST_F(TransferRateTest, CountsTheTimeInWhichNothingIsLost) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  for (int i = 0; i <= 20; ++i) {
    add_sample(base::ByteCount{1500 * (i / 2)}, i * kSampleInterval, false);
    now_ += kSampleInterval;
  }
  EXPECT_NEAR(mbps(), 0.12, 0.03);
  EXPECT_EQ(rate_.repaired(), base::Duration{});
}

TEST_F(TransferRateTest, FallsWhileNothingPasses) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  for (int i = 1; i <= 10; ++i) {
    now_ += kSampleInterval;
    add_sample({}, i * kSampleInterval, false);
  }
  EXPECT_EQ(mbps(), 0);
}

TEST_F(TransferRateTest, RisesWithTheNewestSecondOfTransfer) {
  for (int i = 0; i < 8; ++i) transfer(base::ByteCount{50'000}, base::BitRate::mbps(1));
  transfer(base::ByteCount{50'000}, base::BitRate::mbps(5));
  EXPECT_LT(mbps(), 1.5);
  for (int i = 0; i < 8; ++i) transfer(base::ByteCount{50'000}, base::BitRate::mbps(5));
  EXPECT_GT(mbps(), 2);
  for (int i = 0; i < 20; ++i) transfer(base::ByteCount{50'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.4);
}

// Each transfer begins while the last one is still under way, but the path is idle for a round
// trip.
TEST_F(TransferRateTest, IgnoresPausesOfTheSender) {
  const auto link = base::BitRate::mbps(5);
  base::ByteCount passed;
  for (int i = 1; i <= 40; ++i) {
    now_ += kSampleInterval;
    passed += link * (i % 4 == 0 ? kSampleInterval - kRoundTrip : kSampleInterval);
    add_sample(passed, i * kSampleInterval, false, link + base::BitRate{i});
  }
  EXPECT_NEAR(mbps(), 5, 0.2);
}

TEST_F(TransferRateTest, IgnoresAnOldKernelRate) {
  const auto link = base::BitRate::mbps(1);
  for (int i = 1; i <= 40; ++i) {
    now_ += kSampleInterval;
    add_sample(link * (i * kSampleInterval), i * kSampleInterval, false, base::BitRate::mbps(5));
  }
  EXPECT_NEAR(mbps(), 1, 0.1);
}

TEST_F(TransferRateTest, AGrowingWindowDoesNotLowerTheRate) {
  transfer(base::ByteCount{500'000}, base::BitRate::mbps(5));
  window_limited_ = true;
  transfer(base::ByteCount{100'000}, base::BitRate::mbps(1));
  EXPECT_NEAR(mbps(), 5, 0.3);
  transfer(base::ByteCount{2'000'000}, base::BitRate::mbps(20));
  EXPECT_GT(mbps(), 15);
}

TEST_F(TransferRateTest, AssumesTheRateOfOtherConnectionsWhileTheWindowGrows) {
  rate_.assume(base::BitRate::mbps(5));
  window_limited_ = true;
  transfer(base::ByteCount{100'000}, base::BitRate::mbps(1));
  EXPECT_NEAR(mbps(), 5, 0.3);
}

TEST_F(TransferRateTest, AddsUpSmallTransfers) {
  for (int i = 0; i < 3; ++i) transfer(base::ByteCount{20'000}, base::BitRate::kbps(500));
  EXPECT_NEAR(mbps(), 0.5, 0.05);
  for (int i = 0; i < 100; ++i) transfer(base::ByteCount{5'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 1);
}

TEST_F(TransferRateTest, IgnoresSkippedSamples) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  const double before = mbps();
  for (int i = 0; i < 20; ++i) {
    acked_ += base::ByteCount{2'000};
    busy_ += 200ms;
    rate_.skip_idle(sample({}, 0ms, true));
    transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  }
  EXPECT_NEAR(mbps(), before, 0.1);
}

TEST_F(TransferRateTest, IgnoresTimeInWhichTheReceiverHoldsDataBack) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  held_ += 400ms;
  busy_ += 400ms;
  transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.4);
}

}  // namespace
}  // namespace abr
