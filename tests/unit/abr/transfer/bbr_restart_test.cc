#include "abr/transfer/bbr_restart.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class BbrRestartTest : public testing::Test {
 protected:
  /// At the end of a transfer of 50 kB, over 200 ms.
  bool wanted(double rate_mbps, double pace_mbps, base::Duration later = 400ms) {
    now_ += later;
    transfer_.rate = base::BitRate::mbps(rate_mbps);
    transfer_.pace = base::BitRate::mbps(pace_mbps);
    return restart_.wanted(transfer_, now_);
  }

  BbrRestart::Transfer transfer_{
      .amount = base::ByteCount{50'000}, .rate = {}, .pace = {}, .rtt = 205ms, .min_rtt = 200ms};
  BbrRestart restart_;
  base::Time now_{1h};
};

TEST_F(BbrRestartTest, IsWantedWhenThePaceOfShortTransfersHasFallen) {
  EXPECT_FALSE(wanted(4, 10));
  EXPECT_TRUE(wanted(1.5, 1.7));
}

TEST_F(BbrRestartTest, IsNotWantedWhereTransfersWereNeverFaster) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(wanted(1.5, 1.7));
}

TEST_F(BbrRestartTest, IsNotWantedWhenThePathLimits) {
  EXPECT_FALSE(wanted(4, 10));
  EXPECT_FALSE(wanted(1.5, 4.5));
}

TEST_F(BbrRestartTest, IsNotWantedWhenPacketsQueue) {
  EXPECT_FALSE(wanted(4, 10));
  transfer_.rtt = 300ms;
  EXPECT_FALSE(wanted(1.5, 1.7));
}

/// BBR has measured the path.
TEST_F(BbrRestartTest, IsNotWantedForLongTransfers) {
  EXPECT_FALSE(wanted(4, 10));
  transfer_.amount = base::ByteCount{100'000};
  EXPECT_FALSE(wanted(1.5, 1.7));
  transfer_.amount = base::ByteCount{50'000};
  transfer_.rtt = transfer_.min_rtt = 40ms;
  EXPECT_FALSE(wanted(1.5, 1.7));
}

TEST_F(BbrRestartTest, ComesOnceWhereItDoesNotHelp) {
  EXPECT_FALSE(wanted(4, 10));
  int count = 0;
  for (int i = 0; i < 1500; ++i) count += wanted(1.5, 1.7);
  EXPECT_EQ(count, 1);
}

TEST_F(BbrRestartTest, ComesAgainWhereItHelps) {
  int count = 0;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 10; ++k) count += wanted(4, 10);
    count += wanted(1.5, 1.7);
  }
  EXPECT_EQ(count, 100);
}

/// The rate after a restart has to be measured first.
TEST_F(BbrRestartTest, WaitsUntilItsEffectIsKnown) {
  EXPECT_FALSE(wanted(4, 10));
  EXPECT_TRUE(wanted(1.5, 1.7));
  EXPECT_FALSE(wanted(4, 10));
  EXPECT_FALSE(wanted(1.5, 1.7));
  EXPECT_TRUE(wanted(1.5, 1.7, 4s));
}

}  // namespace
}  // namespace abr
