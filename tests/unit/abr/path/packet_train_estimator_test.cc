#include "abr/path/packet_train_estimator.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;

class PacketTrainEstimatorTest : public testing::Test {
 protected:
  void train(double mbps, bool congested = false) {
    now_ += 33ms;
    capacity_.add(now_, kBits, kBits / (1e6 * mbps), congested);
  }
  double mbps() const { return capacity_.bps() / 1e6; }

  static constexpr double kBits = 64'000;
  PacketTrainEstimator capacity_;
  base::Time now_{1h};
};

TEST_F(PacketTrainEstimatorTest, OneTrainShowsTheCapacity) {
  EXPECT_EQ(mbps(), 0);
  train(5);
  EXPECT_NEAR(mbps(), 5, 0.01);
}

TEST_F(PacketTrainEstimatorTest, IsTheMedianOfThreeThatAgree) {
  for (const double rate : {5.0, 4.8, 5.3}) train(rate);
  EXPECT_NEAR(mbps(), 5, 0.01);
}

// The next train has the time that one misses: the estimate is the sum of bits over the sum of
// times.
TEST_F(PacketTrainEstimatorTest, IsTheSumOfTrainsThatDisagree) {
  for (int i = 0; i < 4; ++i) {
    train(20);
    train(4);
  }
  EXPECT_NEAR(mbps(), 2 / (1 / 20.0 + 1 / 4.0), 0.01);
  EXPECT_FALSE(capacity_.agree());
}

TEST_F(PacketTrainEstimatorTest, BelievesTwoSlowTrainsBehindOtherData) {
  for (int i = 0; i < 8; ++i) train(10);
  train(2, true);
  train(2, true);
  EXPECT_NEAR(mbps(), 2, 0.01);
}

TEST_F(PacketTrainEstimatorTest, DoesNotBelieveOneSlowTrain) {
  for (int i = 0; i < 8; ++i) train(10);
  train(2);
  train(10);
  train(10);
  EXPECT_GT(mbps(), 6);
}

TEST_F(PacketTrainEstimatorTest, AgreesAfterFiveSimilarTrains) {
  for (int i = 0; i < 4; ++i) train(5);
  EXPECT_FALSE(capacity_.agree());
  train(5.2);
  EXPECT_TRUE(capacity_.agree());
  train(6);
  EXPECT_FALSE(capacity_.agree());
}

TEST_F(PacketTrainEstimatorTest, ForgetsTrainsBeforeAGap) {
  for (int i = 0; i < 8; ++i) train(10);
  now_ += 4s;
  train(1);
  EXPECT_NEAR(mbps(), 1, 0.01);
}

TEST_F(PacketTrainEstimatorTest, AcksThatArriveAtOnceShowAFiniteRate) {
  capacity_.add(now_, kBits, 0, false);
  EXPECT_LE(mbps(), 1000.1);
}

}  // namespace
}  // namespace abr
