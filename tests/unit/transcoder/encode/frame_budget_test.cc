#include "transcoder/encode/frame_budget.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using std::chrono::milliseconds;

constexpr base::BitRate kRate = base::BitRate::mbps(2);
constexpr milliseconds kVbv{60};
constexpr milliseconds kInterval{40};
constexpr base::ByteCount kShare = kRate * kInterval;

class FrameBudgetTest : public ::testing::Test {
 protected:
  base::ByteCount next() { return budget_.next(now_ += kInterval); }
  /// Encodes `count` frames that use all their room.
  void saturate(int count) {
    for (int i = 0; i < count; ++i) budget_.spend(next());
  }

  media::Pts now_{};
  FrameBudget budget_{kRate, kVbv, 25};
};

TEST_F(FrameBudgetTest, FirstFrameMayTakeTheWholeBuffer) { EXPECT_EQ(next(), kRate * kVbv); }

TEST_F(FrameBudgetTest, SaturatedFramesGetTheirShareOfTheRate) {
  saturate(10);
  EXPECT_EQ(next(), kShare);
}

TEST_F(FrameBudgetTest, CarriesOverUnusedBits) {
  saturate(10);
  budget_.spend(next() - base::ByteCount{1000});
  EXPECT_EQ(next(), kShare + base::ByteCount{1000});
}

TEST_F(FrameBudgetTest, CarriesOverAtMostTheBuffer) {
  for (int i = 0; i < 10; ++i) next();
  EXPECT_EQ(next(), kRate * kVbv);
}

TEST_F(FrameBudgetTest, ChargesAnExcessToTheNextFrame) {
  saturate(10);
  budget_.spend(next() + base::ByteCount{1000});
  EXPECT_EQ(next(), kShare - base::ByteCount{1000});
}

TEST_F(FrameBudgetTest, LeavesAQuarterToTheFrameAfterAnExcess) {
  budget_.spend(next() + kShare + kShare + kShare);
  EXPECT_EQ(next(), base::ByteCount{kShare.bytes() / 4});
}

TEST_F(FrameBudgetTest, SnapsToOneShareForTwoFramesAfterACut) {
  for (int i = 0; i < 3; ++i) next();  // nothing is spent, so the whole buffer is free
  budget_.retarget(kRate * 0.5);
  const base::ByteCount half{kShare.bytes() / 2};
  EXPECT_EQ(next(), half);
  EXPECT_EQ(next(), half);
  EXPECT_EQ(next(), kRate * 0.5 * kVbv);
}

TEST_F(FrameBudgetTest, DoesNotSnapAfterASmallCut) {
  for (int i = 0; i < 3; ++i) next();
  budget_.retarget(kRate * 0.95);
  EXPECT_EQ(next(), kRate * 0.95 * kVbv);
}

TEST_F(FrameBudgetTest, TargetIsTheRateTimesTheInterval) {
  next();
  next();
  EXPECT_EQ(budget_.target(), kShare);
}

TEST_F(FrameBudgetTest, FramesAfterASlowTimeStayWithinTheBuffer) {
  for (int i = 0; i < 10; ++i) budget_.next(now_ += milliseconds{200});  // repeats take no bits
  base::ByteCount held;
  for (int i = 0; i < 10; ++i) {
    const base::ByteCount taken = next();
    budget_.spend(taken);
    held = std::max(base::ByteCount{}, held - kShare) + taken;
    EXPECT_LE(held, kRate * kVbv) << i;
  }
}

TEST_F(FrameBudgetTest, AFrameAfterSkippedOnesMayTakeTheBufferAndNoMore) {
  saturate(10);
  for (int i = 0; i < 3; ++i) budget_.skip(now_ += kInterval);
  EXPECT_EQ(next(), kRate * kVbv);
  EXPECT_EQ(budget_.target(), kShare);
}

TEST_F(FrameBudgetTest, KeepsTheBufferWhileTwoOfThreeFramesAreSkipped) {
  saturate(10);
  for (int i = 0; i < 10; ++i) {
    for (int skipped = 0; skipped < 2; ++skipped) budget_.skip(now_ += kInterval);
    const auto room = next();
    EXPECT_EQ(room, kRate * kVbv);
    budget_.spend(room);
  }
}

TEST_F(FrameBudgetTest, SkippedTimePaysForAnExcess) {
  saturate(10);
  budget_.spend(next() + kShare);
  budget_.skip(now_ += kInterval);
  EXPECT_EQ(next(), kShare);
}

TEST_F(FrameBudgetTest, BufferHoldsMoreThanOneFrameAtLowFrameRates) {
  for (int i = 0; i < 10; ++i) budget_.next(now_ += milliseconds{100});
  EXPECT_EQ(budget_.next(now_ += milliseconds{100}), kRate * milliseconds{125});
}

}  // namespace
}  // namespace transcoder
