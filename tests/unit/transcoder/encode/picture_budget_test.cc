#include "transcoder/encode/picture_budget.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using std::chrono::milliseconds;

constexpr base::BitRate kRate = base::BitRate::mbps(2);
constexpr milliseconds kVbv{60};
constexpr milliseconds kInterval{40};
constexpr base::ByteCount kPicture = kRate * kInterval;

class PictureBudgetTest : public ::testing::Test {
 protected:
  base::ByteCount next() { return budget_.next(now_ += kInterval); }
  /// Pictures that take all they may.
  void saturate(int count) {
    for (int i = 0; i < count; ++i) budget_.spend(next());
  }

  media::Pts now_{};
  PictureBudget budget_{kRate, kVbv, 25};
};

TEST_F(PictureBudgetTest, FirstPictureMayTakeTheWholeBuffer) { EXPECT_EQ(next(), kRate * kVbv); }

TEST_F(PictureBudgetTest, SaturatedPicturesGetTheirShareOfTheRate) {
  saturate(10);
  EXPECT_EQ(next(), kPicture);
}

TEST_F(PictureBudgetTest, CarriesOverWhatAPictureLeft) {
  saturate(10);
  budget_.spend(next() - base::ByteCount{1000});
  EXPECT_EQ(next(), kPicture + base::ByteCount{1000});
}

TEST_F(PictureBudgetTest, CarriesOverNoMoreThanTheBuffer) {
  for (int i = 0; i < 10; ++i) next();
  EXPECT_EQ(next(), kRate * kVbv);
}

TEST_F(PictureBudgetTest, TakesBackWhatAPictureTookTooMuch) {
  saturate(10);
  budget_.spend(next() + base::ByteCount{1000});
  EXPECT_EQ(next(), kPicture - base::ByteCount{1000});
}

TEST_F(PictureBudgetTest, LeavesAQuarterToThePictureAfterAnExcess) {
  budget_.spend(next() + kPicture + kPicture + kPicture);
  EXPECT_EQ(next(), base::ByteCount{kPicture.bytes() / 4});
}

TEST_F(PictureBudgetTest, SnapsToOnePictureForTwoPicturesAfterACut) {
  for (int i = 0; i < 3; ++i) next();  // nothing spent: full credit
  budget_.retarget(kRate * 0.5);
  const base::ByteCount half{kPicture.bytes() / 2};
  EXPECT_EQ(next(), half);
  EXPECT_EQ(next(), half);
  EXPECT_EQ(next(), kRate * 0.5 * kVbv);
}

TEST_F(PictureBudgetTest, DoesNotSnapAfterASmallCut) {
  for (int i = 0; i < 3; ++i) next();
  budget_.retarget(kRate * 0.95);
  EXPECT_EQ(next(), kRate * 0.95 * kVbv);
}

TEST_F(PictureBudgetTest, PictureIsTheRateTimesTheInterval) {
  next();
  next();
  EXPECT_EQ(budget_.picture(), kPicture);
}

TEST_F(PictureBudgetTest, PicturesAfterASlowTimeKeepTheBuffer) {
  for (int i = 0; i < 10; ++i) budget_.next(now_ += milliseconds{200});  // repeats: nothing in them
  base::ByteCount held;
  for (int i = 0; i < 10; ++i) {
    const base::ByteCount taken = next();
    budget_.spend(taken);
    held = std::max(base::ByteCount{}, held - kPicture) + taken;
    EXPECT_LE(held, kRate * kVbv) << i;
  }
}

TEST_F(PictureBudgetTest, PictureAfterSkippedOnesMayTakeTheBufferAndNoMore) {
  saturate(10);
  for (int i = 0; i < 3; ++i) budget_.skip(now_ += kInterval);
  EXPECT_EQ(next(), kRate * kVbv);
  EXPECT_EQ(budget_.picture(), kPicture);
}

TEST_F(PictureBudgetTest, KeepsTheBufferWhileTwoOfThreeAreSkipped) {
  saturate(10);
  for (int i = 0; i < 10; ++i) {
    for (int skipped = 0; skipped < 2; ++skipped) budget_.skip(now_ += kInterval);
    const auto room = next();
    EXPECT_EQ(room, kRate * kVbv);
    budget_.spend(room);
  }
}

TEST_F(PictureBudgetTest, SkippedTimePaysForWhatAPictureTookTooMuch) {
  saturate(10);
  budget_.spend(next() + kPicture);
  budget_.skip(now_ += kInterval);
  EXPECT_EQ(next(), kPicture);
}

TEST_F(PictureBudgetTest, BufferHoldsMoreThanOnePictureAtLowFrameRates) {
  for (int i = 0; i < 10; ++i) budget_.next(now_ += milliseconds{100});
  EXPECT_EQ(budget_.next(now_ += milliseconds{100}), kRate * milliseconds{125});
}

}  // namespace
}  // namespace transcoder
