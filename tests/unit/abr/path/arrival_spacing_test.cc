#include "abr/path/arrival_spacing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace abr {
namespace {

using namespace std::chrono_literals;
using Queue = ArrivalSpacing::Queue;

constexpr base::Duration kRtt = 40ms;
constexpr base::Duration kInterval = 33ms;
constexpr std::array kSizes{4000, 7000, 2500, 5000, 3000, 9000, 2000, 6000};  // bytes

/// Frames depart at regular intervals; a test says when they arrive.
class ArrivalSpacingTest : public testing::Test {
 protected:
  /// The next frame arrives `took` after its departure.
  void arrive(base::Duration took, int size) {
    end_ += base::ByteCount{size};
    acked_ = departed_ + took;
    spacing_.add(
        {.departed = departed_, .acked = acked_, .size = base::ByteCount{size}, .end = end_}, kRtt);
    departed_ += kInterval;
  }

  /// The path carries only our data, at `capacity`.
  void pass_alone(base::BitRate capacity, int size) {
    const auto begin = std::max(departed_ + kRtt, acked_);
    arrive(begin + base::ByteCount{size} / capacity - departed_, size);
  }

  ArrivalSpacing spacing_;
  base::Time departed_{1h};
  base::Time acked_{};
  base::ByteCount end_;
};

TEST_F(ArrivalSpacingTest, KnowsNothingAtFirst) { EXPECT_EQ(spacing_.queue(), Queue::kUnknown); }

TEST_F(ArrivalSpacingTest, AQueueIsOursIfLargerFramesArriveLaterAfterTheOneBefore) {
  pass_alone(base::BitRate{1'000'000}, 30'000);
  for (const int size : kSizes) pass_alone(base::BitRate{1'000'000}, size);
  EXPECT_EQ(spacing_.queue(), Queue::kOurs);
}

// Each frame has arrived before the next one departs: large ones are late because they are large.
TEST_F(ArrivalSpacingTest, ASlowPathWithoutAQueueIsNotThatOfOthers) {
  for (int i = 0; i < 3; ++i) {
    for (const int size : kSizes) pass_alone(base::BitRate{2'400'000}, size + 8000);
  }
  EXPECT_EQ(spacing_.queue(), Queue::kOurs);
}

TEST_F(ArrivalSpacingTest, AQueueIsThatOfOthersIfFramesOfAllSizesWaitEquallyLong) {
  for (int i = 0; i < 2; ++i) {
    for (const int size : kSizes) arrive(kRtt + 80ms, size);
  }
  EXPECT_EQ(spacing_.queue(), Queue::kOthers);
}

// They arrive as slowly as a path of 0.24 Mbit/s would deliver them, but large ones no later.
TEST_F(ArrivalSpacingTest, OthersAreFoundAlthoughTheirQueueGrows) {
  auto took = kRtt + 80ms;
  for (int i = 0; i < 2; ++i) {
    for (const int size : kSizes) arrive(took += 2ms, size / 5);
  }
  EXPECT_EQ(spacing_.queue(), Queue::kOthers);
}

TEST_F(ArrivalSpacingTest, FramesOfOneSizeAtRegularIntervalsTellNothing) {
  for (int i = 0; i < 30; ++i) arrive(kRtt + 80ms, 4000);
  EXPECT_EQ(spacing_.queue(), Queue::kUnknown);
}

TEST_F(ArrivalSpacingTest, AFallOfTheCapacityNeverShowsOthers) {
  for (const int size : kSizes) pass_alone(base::BitRate{8'000'000}, 3 * size);
  for (int i = 0; i < 4; ++i) pass_alone(base::BitRate{800'000}, 3 * kSizes.at(i));
  for (int i = 0; i < 20; ++i) {
    pass_alone(base::BitRate{800'000}, kSizes.at(i % kSizes.size()) / 3);
    ASSERT_NE(spacing_.queue(), Queue::kOthers) << i;
  }
}

// The capacity of a radio link varies from frame to frame, whatever we send.
TEST_F(ArrivalSpacingTest, AVaryingCapacityNeverShowsOthers) {
  pass_alone(base::BitRate{1'000'000}, 20'000);
  for (int i = 0; i < 100; ++i) {
    const std::int64_t capacity = 600'000 + 1'000'000 * (i * i % 7) / 7;
    pass_alone(base::BitRate{capacity}, kSizes.at(i % kSizes.size()) * 4 / 5);
    ASSERT_NE(spacing_.queue(), Queue::kOthers) << i;
  }
}

TEST_F(ArrivalSpacingTest, AFrameThatDoesNotWaitBeginsAnew) {
  for (int i = 0; i < 2; ++i) {
    for (const int size : kSizes) arrive(kRtt + 80ms, size);
  }
  arrive(kRtt + 5ms, 4000);
  EXPECT_EQ(spacing_.queue(), Queue::kUnknown);
  for (int i = 0; i < 5; ++i) arrive(kRtt + 80ms, kSizes.at(i));
  EXPECT_EQ(spacing_.queue(), Queue::kUnknown);
}

TEST_F(ArrivalSpacingTest, AnInterruptionBeginsAnew) {
  for (int i = 0; i < 2; ++i) {
    for (const int size : kSizes) arrive(kRtt + 80ms, size);
  }
  spacing_.interrupt();
  EXPECT_EQ(spacing_.queue(), Queue::kUnknown);
}

// The times of every third frame are known.
TEST_F(ArrivalSpacingTest, CountsTheFramesBetweenThoseWhoseTimesAreKnown) {
  pass_alone(base::BitRate{1'000'000}, 30'000);
  for (int i = 0; i < 30; ++i) {
    const int size = kSizes.at(i * 5 % kSizes.size());
    if (i % 3 == 0) {
      pass_alone(base::BitRate{1'000'000}, size);
    } else {
      end_ += base::ByteCount{size};
      acked_ =
          std::max(departed_ + kRtt, acked_) + base::ByteCount{size} / base::BitRate{1'000'000};
      departed_ += kInterval;
    }
  }
  EXPECT_EQ(spacing_.queue(), Queue::kOurs);
}

TEST_F(ArrivalSpacingTest, FramesWithoutBytesTellNothing) {
  for (int i = 0; i < 30; ++i) arrive(kRtt + (i % 3) * 30ms + 30ms, 0);
  EXPECT_EQ(spacing_.queue(), Queue::kUnknown);
}

}  // namespace
}  // namespace abr
