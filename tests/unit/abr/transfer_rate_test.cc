#include "abr/transfer_rate.h"

#include <gtest/gtest.h>

#include <cmath>

namespace abr {
namespace {

using namespace std::chrono_literals;

constexpr auto kRoundTrip = 40ms;
constexpr auto kLook = 50ms;

/// A sender whose transfers pass a link of a given rate, looked at every kLook.
class TransferRateTest : public testing::Test {
 protected:
  /// `amount` is sent in one go, and the link is idle for a while after it.
  void transfer(base::ByteCount amount, base::BitRate link) {
    const auto whole = amount / link + kRoundTrip;
    const auto begin = now_;
    while (now_ - begin < whole) {
      now_ += kLook;
      const auto busy = std::min<base::Duration>(now_ - begin, whole);
      const auto passed = std::max<base::Duration>(busy - kRoundTrip, 0ms);
      look(link * passed, busy, busy == whole);
    }
    acked_ += amount;
    busy_ += whole;
    now_ += 100ms;
  }
  void look(base::ByteCount passed, base::Duration busy, bool idle) {
    rate_.update({.at = now_,
                  .acked = static_cast<std::uint64_t>((acked_ + passed).bytes()),
                  .busy = whole_jiffies(busy_ + busy),
                  .receiver_limited = held_,
                  .round_trip = kRoundTrip,
                  .idle = idle});
  }
  static base::Duration whole_jiffies(base::Duration d) { return d / 4ms * 4ms; }
  double mbps() const { return static_cast<double>(rate_.value().bps()) / 1e6; }

  TransferRate rate_;
  base::Time now_{1h};
  base::ByteCount acked_;
  base::Duration busy_{};
  base::Duration held_{};
};

TEST_F(TransferRateTest, IsNotKnownBeforeATransfer) { EXPECT_EQ(mbps(), 0); }

TEST_F(TransferRateTest, IsTheLinksHoweverLittleIsSent) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{40'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.4);
}

TEST_F(TransferRateTest, IsTheLinksInALongTransfer) {
  transfer(base::ByteCount{1'000'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.3);
}

TEST_F(TransferRateTest, FallsBeforeATransferEnds) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  const auto before = now_;
  look({}, 0ms, false);
  for (int i = 1; i <= 6; ++i) {
    now_ += kLook;
    look(base::BitRate::mbps(1) * (i * kLook), i * kLook, false);
  }
  EXPECT_LT(mbps(), 1.5);
  EXPECT_LE(now_ - before, 300ms);
}

TEST_F(TransferRateTest, FallsWhileNothingPasses) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  for (int i = 1; i <= 10; ++i) {
    now_ += kLook;
    look({}, i * kLook, false);
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

TEST_F(TransferRateTest, SmallTransfersSayNothing) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  const double before = mbps();
  for (int i = 0; i < 20; ++i) transfer(base::ByteCount{2'000}, base::BitRate::mbps(5));
  EXPECT_DOUBLE_EQ(mbps(), before);
}

TEST_F(TransferRateTest, WhatTheReceiverHoldsBackIsNotThePaths) {
  for (int i = 0; i < 5; ++i) transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  held_ += 400ms;
  busy_ += 400ms;
  transfer(base::ByteCount{100'000}, base::BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.4);
}

}  // namespace
}  // namespace abr
