#include "abr/policy/pacing_control.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

class PacingControlTest : public testing::Test {
 protected:
  BitRate next(base::Duration after = 33ms) {
    return control_.next(seen_, path_, rate_, now_ += after);
  }
  BitRate lose() {
    seen_.dupack = 1;
    const auto pacing = next();
    seen_.dupack = 0;
    return pacing;
  }

  PacingControl control_;
  Observation seen_{.srtt = 40ms, .mss = 1448};
  PathState path_{
      .capacity = BitRate::mbps(8), .highest = BitRate::mbps(8), .capacity_recent = true};
  BitRate rate_ = BitRate::mbps(2);
  base::Time now_{1h};
};

TEST_F(PacingControlTest, IsAMultipleOfTheCapacityOrOfTheRate) {
  EXPECT_EQ(next(), BitRate::mbps(20));
  rate_ = BitRate::mbps(10);
  EXPECT_EQ(next(), BitRate::mbps(25));
}

TEST_F(PacingControlTest, IsAtLeastTenMegabitsPerSecond) {
  path_.capacity = BitRate::mbps(1);
  rate_ = BitRate::mbps(1);
  EXPECT_EQ(next(), BitRate::mbps(10));
}

TEST_F(PacingControlTest, IsSlowerForFiveSecondsAfterALoss) {
  EXPECT_EQ(lose(), BitRate::mbps(12));
  EXPECT_EQ(next(4s), BitRate::mbps(12));
  EXPECT_EQ(next(2s), BitRate::mbps(20));
}

// After an outage the capacity seems to be next to nothing, too low for the retransmissions.
TEST_F(PacingControlTest, IsNotSlowerAfterALossIfTheCapacityIsUnknown) {
  path_ = {.capacity = BitRate::kbps(171)};
  EXPECT_GE(lose(), BitRate::mbps(10));
}

// A burst into a full queue is lost, but only a loss shows that the queue is full.
TEST_F(PacingControlTest, IsTheLinksRateAfterALossNextToCrossTraffic) {
  path_.cross_traffic = true;
  EXPECT_EQ(next(), BitRate::mbps(20));
  EXPECT_EQ(lose(), BitRate::mbps(8));
  EXPECT_EQ(next(4s), BitRate::mbps(8));
  EXPECT_EQ(next(2s), BitRate::mbps(20));
}

TEST_F(PacingControlTest, IsAsSlowAsAShortQueueNeeds) {
  path_.frame_size = base::ByteCount{40'000};
  path_.queue_room = base::ByteCount{20'000};
  EXPECT_NEAR(static_cast<double>(next().bps()), 8e6 / (1 - 0.8 * 20 / 40), 100);
  path_.queue_room = base::ByteCount{1'000};
  EXPECT_NEAR(static_cast<double>(next().bps()), 1.1 * 8e6, 100);
  path_.queue_room = base::ByteCount{60'000};
  EXPECT_EQ(next(), BitRate::mbps(20)) << "the queue has room for a frame";
}

// Losses may have hidden a fall of the capacity.
TEST_F(PacingControlTest, IsAMultipleOfTheRateIntoAShortQueueIfTheCapacityIsUnknown) {
  path_.frame_size = base::ByteCount{40'000};
  path_.queue_room = base::ByteCount{20'000};
  path_.capacity_recent = false;
  EXPECT_NEAR(static_cast<double>(next().bps()), 2e6 / (1 - 0.8 * 20 / 40), 100);
}

TEST_F(PacingControlTest, LeavesOthersQueueAlone) {
  path_.frame_size = base::ByteCount{40'000};
  path_.queue_room = base::ByteCount{20'000};
  path_.cross_traffic = true;
  EXPECT_EQ(next(), BitRate::mbps(20));
}

// The only frame that has been measured may have been a few bytes long: TCP would wait for minutes.
TEST_F(PacingControlTest, IsNeverSlowerThanTheStream) {
  path_ = {.capacity = BitRate{40}, .highest = BitRate{40}, .cross_traffic = true};
  EXPECT_EQ(lose(), rate_);
}

}  // namespace
}  // namespace abr
