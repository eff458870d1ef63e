#include "abr/path/policer.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

class PolicerTest : public testing::Test {
 protected:
  /// Data waits for 200 ms, in which `rate` passes, and then no data waits for `rest`.
  void congestion(BitRate rate, BitRate trains, base::Duration rest = 400ms) {
    congestion(rate, rate, trains, rest);
  }
  void congestion(BitRate rate, BitRate resting, BitRate trains, base::Duration rest = 400ms) {
    run(200ms, true, rate, trains);
    run(rest, false, resting, trains);
  }
  void run(base::Duration time, bool waiting, BitRate rate, BitRate trains) {
    for (const auto end = now_ + time; now_ < end; now_ += 10ms) {
      delivered_ += rate * 10ms;
      policer_.update(waiting, trains, delivered_, now_);
    }
  }
  double mbps() const { return static_cast<double>(policer_.rate(now_).bps()) / 1e6; }

  Policer policer_;
  base::ByteCount delivered_;
  base::Time now_{1h};
};

constexpr auto kLink = BitRate::mbps(100);
constexpr auto kFilled = BitRate::mbps(3);

TEST_F(PolicerTest, FindsABucketAfterTheSameRateThreeTimes) {
  congestion(kFilled, kLink);
  congestion(kFilled, kLink);
  EXPECT_EQ(mbps(), 0);
  congestion(kFilled, kLink);
  EXPECT_NEAR(mbps(), 3, 0.1);
}

TEST_F(PolicerTest, FindsNoBucketIfTrainsShowTheSlowLink) {
  for (int i = 0; i < 5; ++i) congestion(kFilled, BitRate::mbps(3.3));
  EXPECT_EQ(mbps(), 0);
}

TEST_F(PolicerTest, FindsNoBucketIfRatesDiffer) {
  for (const double rate : {3.0, 5.0, 2.0, 4.0, 3.0}) congestion(BitRate::mbps(rate), kLink);
  EXPECT_EQ(mbps(), 0);
}

// A short queue that others fill: the same rate passes between timeouts now and then, by chance.
TEST_F(PolicerTest, FindsNoBucketIfTokensWereLeft) {
  for (int i = 0; i < 5; ++i) congestion(kFilled, 0.5 * kFilled, kLink);
  EXPECT_EQ(mbps(), 0);
}

TEST_F(PolicerTest, FindsNoBucketIfMorePassesThanFillsIt) {
  for (int i = 0; i < 5; ++i) congestion(kFilled, 1.5 * kFilled, kLink);
  EXPECT_EQ(mbps(), 0);
}

TEST_F(PolicerTest, FindsNoBucketInCongestionsFarApart) {
  for (int i = 0; i < 5; ++i) congestion(kFilled, kLink, 5s);
  EXPECT_EQ(mbps(), 0);
}

TEST_F(PolicerTest, IgnoresShortCongestions) {
  for (int i = 0; i < 5; ++i) {
    run(50ms, true, kFilled, kLink);
    run(400ms, false, kFilled, kLink);
  }
  EXPECT_EQ(mbps(), 0);
}

TEST_F(PolicerTest, TriesAgainLessAndLessOften) {
  for (int i = 0; i < 3; ++i) congestion(kFilled, kLink);
  run(10s, false, kFilled, kLink);
  EXPECT_EQ(mbps(), 0);
  congestion(kFilled, kLink);
  EXPECT_GT(mbps(), 0);
  run(15s, false, kFilled, kLink);
  EXPECT_GT(mbps(), 0);
  run(5s, false, kFilled, kLink);
  EXPECT_EQ(mbps(), 0);
}

// A short loss of radio coverage, for example: the bucket is still there.
TEST_F(PolicerTest, KeepsTheBucketIfSomethingElseCausesACongestion) {
  for (int i = 0; i < 3; ++i) congestion(kFilled, kLink);
  run(2s, false, kFilled, kLink);
  congestion(BitRate::mbps(1), kLink);
  EXPECT_NEAR(mbps(), 3, 0.1);
}

TEST_F(PolicerTest, CongestionsDuringTheHoldDoNotProlongIt) {
  for (int i = 0; i < 3; ++i) congestion(kFilled, kLink);
  for (int i = 0; i < 10; ++i) congestion(kFilled, kLink);
  run(4500ms, false, kFilled, kLink);
  EXPECT_EQ(mbps(), 0);
}

TEST_F(PolicerTest, ForgetsTheBucketIfTheTrainsWereRight) {
  for (int i = 0; i < 3; ++i) congestion(kFilled, kLink);
  run(20s, false, kFilled, kLink);
  congestion(kFilled, kLink);
  EXPECT_EQ(mbps(), 0);
}

}  // namespace
}  // namespace abr
