#include "bpf/dispersion.h"

#include <gtest/gtest.h>

namespace {

constexpr std::uint32_t kMss = 1448;
constexpr std::uint32_t kRtt = 100'000;
constexpr std::uint64_t kSegmentUs = 800;  // 1448 bytes at 14.5 Mbit/s
constexpr double kCapacity = kMss * 1e6 / kSegmentUs;

class DispersionTest : public testing::Test {
 protected:
  /// Acknowledgements of two segments each, spaced as the link spaces the segments.
  void train(int acks) {
    for (int i = 0; i < acks; ++i) {
      now_ += 2 * kSegmentUs;
      dispersion_note(&dispersion_, now_, 2, kMss, kRtt);
    }
  }

  std::uint64_t now_ = 1'000'000;
  dispersion dispersion_{};
};

TEST_F(DispersionTest, EightSegmentsOfOneTrainShowTheCapacity) {
  train(4);
  EXPECT_EQ(dispersion_.capacity, 0u);  // the first acknowledgement only starts the train
  train(1);
  EXPECT_EQ(dispersion_.capacity, static_cast<std::uint64_t>(kCapacity));
}

TEST_F(DispersionTest, APauseStartsANewTrain) {
  train(4);
  now_ += kRtt;
  train(4);
  EXPECT_EQ(dispersion_.capacity, 0u);
}

TEST_F(DispersionTest, VideoFramesShowTheCapacityAndNotTheirRate) {
  for (int frame = 0; frame < 100; ++frame) {
    train(10);       // 16 ms
    now_ += 17'000;  // 30 frames/s: half of the capacity
  }
  EXPECT_NEAR(static_cast<double>(dispersion_.capacity) / kCapacity, 1, 0.15);
}

TEST_F(DispersionTest, FollowsAFallAndARise) {
  train(100);
  for (int i = 0; i < 200; ++i) {
    now_ += 10 * kSegmentUs;
    dispersion_note(&dispersion_, now_, 2, kMss, kRtt);
  }
  EXPECT_NEAR(static_cast<double>(dispersion_.capacity), kCapacity / 5, kCapacity / 100);
  EXPECT_EQ(dispersion_.highest, static_cast<std::uint64_t>(kCapacity));
  train(200);
  EXPECT_NEAR(static_cast<double>(dispersion_.capacity), kCapacity, kCapacity / 100);
}

TEST_F(DispersionTest, OneBatchRaisesTheCapacityByAtMostAnEighth) {
  train(100);
  now_ += 1;
  dispersion_note(&dispersion_, now_, 60, kMss, kRtt);
  EXPECT_LE(static_cast<double>(dispersion_.capacity), kCapacity * 1.126);
}

TEST_F(DispersionTest, AcknowledgementsAtOneInstantAreOneTrain) {
  dispersion_note(&dispersion_, now_, 2, kMss, kRtt);
  for (int i = 0; i < 100; ++i) dispersion_note(&dispersion_, now_, 2, kMss, kRtt);
  EXPECT_EQ(dispersion_.capacity, 0u);
}

TEST_F(DispersionTest, HugeArgumentsDoNotWrap) {
  dispersion_note(&dispersion_, 1, ~0u, ~0u, kRtt);
  dispersion_note(&dispersion_, 2, ~0u, ~0u, kRtt);
  EXPECT_EQ(dispersion_.capacity, 65'535ull * 65'535 * 1'000'000);
}

}  // namespace
