#include "transcoder/encode/frame_budget.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using std::chrono::milliseconds;

constexpr base::BitRate kRate = base::BitRate::mbps(2);
constexpr milliseconds kVbv{60};
constexpr milliseconds kInterval{40};
constexpr base::ByteCount kPicture = kRate * kInterval;

class FrameBudgetTest : public ::testing::Test {
 protected:
  base::ByteCount next() { return budget_.next(now_ += kInterval); }
  /// Pictures that take all they may.
  void saturate(int count) {
    for (int i = 0; i < count; ++i) budget_.spend(next());
  }

  media::Pts now_{};
  FrameBudget budget_{kRate, kVbv, 25};
};

TEST_F(FrameBudgetTest, FirstPictureMayTakeTheWholeBuffer) { EXPECT_EQ(next(), kRate * kVbv); }

TEST_F(FrameBudgetTest, SaturatedPicturesGetTheirShareOfTheRate) {
  saturate(10);
  EXPECT_EQ(next(), kPicture);
}

TEST_F(FrameBudgetTest, CarriesOverWhatAPictureLeft) {
  saturate(10);
  budget_.spend(next() - base::ByteCount{1000});
  EXPECT_EQ(next(), kPicture + base::ByteCount{1000});
}

TEST_F(FrameBudgetTest, CarriesOverNoMoreThanTheBuffer) {
  for (int i = 0; i < 10; ++i) next();
  EXPECT_EQ(next(), kRate * kVbv);
}

TEST_F(FrameBudgetTest, TakesBackWhatAPictureTookTooMuch) {
  saturate(10);
  budget_.spend(next() + base::ByteCount{1000});
  EXPECT_EQ(next(), kPicture - base::ByteCount{1000});
}

TEST_F(FrameBudgetTest, LeavesAQuarterToThePictureAfterAnExcess) {
  budget_.spend(next() + kPicture + kPicture + kPicture);
  EXPECT_EQ(next(), base::ByteCount{kPicture.bytes() / 4});
}

TEST_F(FrameBudgetTest, SnapsToOnePictureForTwoPicturesAfterACut) {
  for (int i = 0; i < 3; ++i) next();  // nothing spent: full credit
  budget_.retarget(kRate * 0.5);
  const base::ByteCount half{kPicture.bytes() / 2};
  EXPECT_EQ(next(), half);
  EXPECT_EQ(next(), half);
  EXPECT_EQ(next(), kRate * 0.5 * kVbv);
}

TEST_F(FrameBudgetTest, DoesNotSnapAfterASmallCut) {
  for (int i = 0; i < 3; ++i) next();
  budget_.retarget(kRate * 0.95);
  EXPECT_EQ(next(), kRate * 0.95 * kVbv);
}

TEST_F(FrameBudgetTest, PictureIsTheRateTimesTheInterval) {
  next();
  next();
  EXPECT_EQ(budget_.picture(), kPicture);
}

TEST_F(FrameBudgetTest, PicturesAfterASlowTimeKeepTheBuffer) {
  for (int i = 0; i < 10; ++i) budget_.next(now_ += milliseconds{200});  // repeats: nothing in them
  base::ByteCount held;
  for (int i = 0; i < 10; ++i) {
    const base::ByteCount taken = next();
    budget_.spend(taken);
    held = std::max(base::ByteCount{}, held - kPicture) + taken;
    EXPECT_LE(held, kRate * kVbv) << i;
  }
}

TEST_F(FrameBudgetTest, PictureAfterSkippedOnesMayTakeTheBufferAndNoMore) {
  saturate(10);
  for (int i = 0; i < 3; ++i) budget_.skip(now_ += kInterval);
  EXPECT_EQ(next(), kRate * kVbv);
  EXPECT_EQ(budget_.picture(), kPicture);
}

TEST_F(FrameBudgetTest, KeepsTheBufferWhileTwoOfThreeAreSkipped) {
  saturate(10);
  for (int i = 0; i < 10; ++i) {
    for (int skipped = 0; skipped < 2; ++skipped) budget_.skip(now_ += kInterval);
    const auto room = next();
    EXPECT_EQ(room, kRate * kVbv);
    budget_.spend(room);
  }
}

TEST_F(FrameBudgetTest, SkippedTimePaysForWhatAPictureTookTooMuch) {
  saturate(10);
  budget_.spend(next() + kPicture);
  budget_.skip(now_ += kInterval);
  EXPECT_EQ(next(), kPicture);
}

TEST_F(FrameBudgetTest, BufferHoldsMoreThanOnePictureAtLowFrameRates) {
  for (int i = 0; i < 10; ++i) budget_.next(now_ += milliseconds{100});
  EXPECT_EQ(budget_.next(now_ += milliseconds{100}), kRate * milliseconds{125});
}

}  // namespace
}  // namespace transcoder
