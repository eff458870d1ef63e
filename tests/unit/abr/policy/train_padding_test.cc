#include "abr/policy/train_padding.h"

#include <gtest/gtest.h>

namespace abr {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

/// Frames of 1000 bytes, too short for packet trains, over a path of unknown capacity.
class TrainPaddingTest : public testing::Test {
 protected:
  ByteCount spend(base::Duration after = 33ms) {
    padding_.earn(seen_);
    return padding_.spend(seen_, path_, rate_, now_ += after);
  }
  /// Counts the frames that are lengthened in that time, with enough delivered to pay for them.
  int lengthened(base::Duration time) {
    int count = 0;
    for (const auto end = now_ + time; now_ < end;) {
      seen_.delivered += ByteCount{6'000};
      count += spend().bytes() > 0 ? 1 : 0;
    }
    return count;
  }

  TrainPadding padding_;
  Observation seen_{.delivered = ByteCount{10'000'000}, .mss = 1448, .frame_interval = 33ms};
  PathState path_{.capacity = BitRate::mbps(2), .frame_size = ByteCount{1'000}};
  BitRate rate_ = BitRate::mbps(2);
  base::Time now_{1h};
};

TEST_F(TrainPaddingTest, MakesAFrameATrainOfEightSegments) {
  EXPECT_EQ(spend(), ByteCount{8 * 1448 - 1'000});
}

// SACKed segments are counted as full ones: their bytes are fewer once they are acknowledged.
TEST_F(TrainPaddingTest, EarnsAgainAfterTooManyBytesWereCounted) {
  lengthened(4s);
  seen_.delivered += ByteCount{2'000'000'000};
  padding_.earn(seen_);
  seen_.delivered -= ByteCount{2'000'000'000};
  EXPECT_GE(lengthened(60s), 3);
}

TEST_F(TrainPaddingTest, CostsAtMostThreePercent) {
  seen_.delivered = {};
  std::int64_t padding = 0;
  for (int i = 0; i < 3000; ++i) {
    seen_.delivered += ByteCount{4'000};
    padding += spend().bytes();
  }
  EXPECT_GT(padding, 0);
  EXPECT_LE(padding, 3 * seen_.delivered.bytes() / 100);
}

TEST_F(TrainPaddingTest, ProbesEveryTwoSecondsWhileNothingShowsTheCapacity) {
  EXPECT_EQ(lengthened(19s), 10);
}

// Frames agree with the capacity, which may still be too low.
TEST_F(TrainPaddingTest, ProbesLessAndLessOftenWhileFramesAgreeWithTheCapacity) {
  path_.capacity_recent = true;
  EXPECT_EQ(lengthened(20s), 4) << "at once and after 2, 4 and 8 s";
  EXPECT_EQ(lengthened(64s), 2);
}

TEST_F(TrainPaddingTest, ProbesSoonAgainAfterAProbeThatChangedTheCapacity) {
  path_.capacity_recent = true;
  lengthened(20s);
  path_.capacity = BitRate::mbps(1);
  EXPECT_EQ(lengthened(13s), 2) << "16 s after the last one, and 2 s later";
}

TEST_F(TrainPaddingTest, IsNotNeededWhileFramesShowTheCapacity) {
  path_.capacity_recent = path_.upper_bound_recent = true;
  EXPECT_EQ(lengthened(20s), 0);
}

// After an outage padding would only wait with the retransmissions.
TEST_F(TrainPaddingTest, WaitsForTheEndOfARecovery) {
  seen_.recovering = true;
  EXPECT_EQ(spend().bytes(), 0);
  seen_.recovering = false;
  EXPECT_GT(spend().bytes(), 0);
}

// The newest frame was encoded at a higher rate.
TEST_F(TrainPaddingTest, FitsTheNextFrameNotTheNewest) {
  path_.frame_size = ByteCount{11'000};
  rate_ = BitRate::mbps(1);
  EXPECT_EQ(spend() + rate_ * 33ms, ByteCount{8 * 1448});
}

// Jumbo frames, or loopback's segments.
TEST_F(TrainPaddingTest, LeavesFramesAloneIfSegmentsAreTooLargeForATrain) {
  path_.frame_size = ByteCount{8'000};
  seen_.mss = 8948;
  EXPECT_EQ(spend().bytes(), 0);
}

}  // namespace
}  // namespace abr
