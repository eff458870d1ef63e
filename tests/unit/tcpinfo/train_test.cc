#include "tcpinfo/train.h"

#include <gtest/gtest.h>

namespace tcpinfo {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

TEST(TrainHeadTest, LeavesATailWorthMeasuring) {
  EXPECT_EQ(train_head(ByteCount{5 * 1448}, 1448).bytes(), 2 * 1448);
  EXPECT_EQ(train_head(ByteCount{5 * 1448 - 1}, 1448).bytes(), 0);
  EXPECT_EQ(train_head(ByteCount{100'000}, 0).bytes(), 0) << "no segment size yet";
}

/// A picture every 33 ms, whose tail of 6 segments leaves a bottleneck; a sample after each.
class TrainDispersionTest : public testing::Test {
 protected:
  static constexpr ByteCount kTail{6 * 1448};

  /// A train that took `spread`, and the sample that follows it.
  void train(base::Duration spread) {
    const auto departed = now_;
    now_ += 33ms;
    dispersion_.add({departed, departed + 10ms, departed + 10ms + spread, kTail});
    sample_.at = now_;
    dispersion_.update(sample_);
  }
  void trains(int count, BitRate rate) {
    for (int i = 0; i < count; ++i) train(kTail / rate);
  }
  double mbps() const {
    const auto capacity = dispersion_.capacity(now_);
    return capacity ? static_cast<double>(capacity->rate.bps()) / 1e6 : 0;
  }

  base::Time now_{1h};
  TcpSample sample_{.at = now_};
  TrainDispersion dispersion_;

  TrainDispersionTest() { dispersion_.update(sample_); }
};

TEST_F(TrainDispersionTest, IsTheRateOfTheTail) {
  trains(20, BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.001);
  EXPECT_EQ(dispersion_.capacity(now_)->trains, 20u);
}

TEST_F(TrainDispersionTest, AFewTrainsSayNothing) {
  trains(TrainDispersion::kFewest - 1, BitRate::mbps(5));
  EXPECT_EQ(mbps(), 0);
  trains(1, BitRate::mbps(5));
  EXPECT_NEAR(mbps(), 5, 0.001);
}

TEST_F(TrainDispersionTest, DelayedAndBunchedAcknowledgementsDoNotShow) {
  for (int i = 0; i < 6; ++i) {
    trains(3, BitRate::mbps(5));
    train(40ms);  // delayed: longer than the picture's interval
    train(0ms);   // bunched
  }
  EXPECT_NEAR(mbps(), 5, 0.001);
}

TEST_F(TrainDispersionTest, AcknowledgementsThatAllComeBunchedSayNothing) {
  for (int i = 0; i < 20; ++i) train(0ms);
  EXPECT_EQ(mbps(), 0);
}

TEST_F(TrainDispersionTest, FollowsTheLastSecond) {
  trains(100, BitRate::mbps(5));
  trains(16, BitRate::mbps(2));
  EXPECT_NEAR(mbps(), 2, 0.001);
  EXPECT_EQ(dispersion_.capacity(now_)->trains, TrainDispersion::kMost);
}

TEST_F(TrainDispersionTest, ForgetsWithAge) {
  trains(20, BitRate::mbps(5));
  now_ += TrainDispersion::kMaxAge;
  EXPECT_EQ(mbps(), 0);
}

TEST_F(TrainDispersionTest, TrainsWithARetransmissionDoNotCount) {
  trains(10, BitRate::mbps(5));
  for (int i = 0; i < 20; ++i) {
    ++sample_.total_retransmits;
    trains(1, BitRate::mbps(1000));  // its hole was mended, then all was acknowledged at once
  }
  EXPECT_NEAR(mbps(), 5, 0.001);
}

TEST_F(TrainDispersionTest, TrainsInDisorderOrRecoveryDoNotCount) {
  trains(10, BitRate::mbps(5));
  for (const auto state : {CaState::kDisorder, CaState::kRecovery, CaState::kLoss}) {
    sample_.ca_state = state;
    trains(20, BitRate::mbps(4));
  }
  sample_.ca_state = CaState::kOpen;
  trains(1, BitRate::mbps(4));  // departed before the sample that says so
  EXPECT_NEAR(mbps(), 5, 0.001);
  EXPECT_EQ(dispersion_.capacity(now_)->trains, 10u);
  trains(1, BitRate::mbps(5));
  EXPECT_EQ(dispersion_.capacity(now_)->trains, 11u);
}

TEST_F(TrainDispersionTest, ATrainWaitsForASampleAfterItsEnd) {
  trains(10, BitRate::mbps(5));
  dispersion_.add({now_, now_ + 100ms, now_ + 110ms, kTail});
  sample_.at = now_ + 33ms;
  dispersion_.update(sample_);
  EXPECT_EQ(dispersion_.capacity(now_)->trains, 10u);
  sample_.at = now_ + 133ms;
  dispersion_.update(sample_);
  EXPECT_EQ(dispersion_.capacity(now_)->trains, 11u);
}

TEST_F(TrainDispersionTest, KeepsFewWhileNoSampleComes) {
  for (int i = 0; i < 1000; ++i) {
    dispersion_.add({now_, now_ + 10ms, now_ + 10ms + kTail / BitRate::mbps(5), kTail});
  }
  trains(1, BitRate::mbps(5));
  EXPECT_LT(dispersion_.capacity(now_)->trains, 20u);
}

}  // namespace
}  // namespace tcpinfo
