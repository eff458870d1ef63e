#include "transcoder/encode/quantiser_control.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using Kind = QuantiserControl::Kind;

constexpr int kPixels = 176 * 120;
constexpr base::ByteCount kPlenty{1'000'000};
constexpr double kCrf = 18;
constexpr int kCodeOfScale12 = 10, kCodeOfScale24 = 16;

/// A control that has encoded a frame of each kind with a scale of 12, in 10 kB.
QuantiserControl at_scale_12() {
  QuantiserControl control{kCrf, kPixels};
  control.coded(Kind::kNew, kCodeOfScale12, base::ByteCount{10'000});
  control.coded(Kind::kPredicted, kCodeOfScale12, base::ByteCount{10'000});
  return control;
}

TEST(QuantiserControlTest, FinestStepIsThatOfX264sQp) {
  auto control = at_scale_12();
  for (int i = 0; i < 20; ++i) {
    for (const auto kind : {Kind::kNew, Kind::kPredicted}) {
      control.coded(kind, control.choose(kind, kPlenty), base::ByteCount{1000});
    }
  }
  EXPECT_EQ(control.choose(Kind::kPredicted, kPlenty), 5);  // 0.625 * 2^(18 / 6)
  EXPECT_EQ(control.choose(Kind::kNew, kPlenty), 3);        // 5 / 1.4
}

TEST(QuantiserControlTest, FinestStepFollowsCrf) {
  const auto finest = [](double crf) {
    return QuantiserControl{crf, kPixels}.choose(Kind::kNew, kPlenty);
  };
  EXPECT_EQ(finest(1), 1);
  EXPECT_EQ(finest(24), 7);  // a step of 10 / 1.4
  EXPECT_EQ(finest(51), QuantiserControl::kCoarsestCode);
}

TEST(QuantiserControlTest, HalfTheRoomDoublesTheScale) {
  // A little more than half, because 5 % of the room are a margin.
  EXPECT_EQ(at_scale_12().choose(Kind::kPredicted, base::ByteCount{5300}), kCodeOfScale24);
}

TEST(QuantiserControlTest, AFrameThatFitsKeepsItsScale) {
  EXPECT_EQ(at_scale_12().choose(Kind::kPredicted, base::ByteCount{10'600}), kCodeOfScale12);
}

TEST(QuantiserControlTest, MoreRoomMakesItAtMostAQuarterFiner) {
  EXPECT_EQ(at_scale_12().choose(Kind::kPredicted, kPlenty), 9);  // scale 10, at least 9
}

TEST(QuantiserControlTest, NoRoomGivesTheCoarsestCode) {
  EXPECT_EQ(at_scale_12().choose(Kind::kPredicted, base::ByteCount{1}),
            QuantiserControl::kCoarsestCode);
}

/// The number of frames, of 40, for which a finer code is chosen if a finer code never fits and the
/// previous code takes `size`.
int failed_attempts(base::ByteCount size) {
  auto control = at_scale_12();
  int attempts = 0;
  for (int i = 0; i < 40; ++i) {
    attempts += control.choose(Kind::kPredicted, base::ByteCount{20'000}) < kCodeOfScale12;
    control.coded(Kind::kPredicted, kCodeOfScale12, size);
  }
  return attempts;
}

TEST(QuantiserControlTest, AStillPictureAttemptsAFinerScaleOnceIn30Frames) {
  EXPECT_EQ(failed_attempts(base::ByteCount{500}), 2);
  EXPECT_EQ(failed_attempts(base::ByteCount{8000}), 40);
}

TEST(QuantiserControlTest, AKeyframeEndsThePause) {
  auto control = at_scale_12();
  control.choose(Kind::kPredicted, kPlenty);
  control.coded(Kind::kPredicted, kCodeOfScale12, base::ByteCount{500});
  EXPECT_EQ(control.choose(Kind::kPredicted, kPlenty), kCodeOfScale12);
  control.choose(Kind::kNew, kPlenty);
  control.coded(Kind::kNew, kCodeOfScale12, base::ByteCount{10'000});
  EXPECT_LT(control.choose(Kind::kPredicted, kPlenty), kCodeOfScale12);
}

TEST(QuantiserControlTest, MoreRoomEndsThePause) {
  auto control = at_scale_12();
  control.choose(Kind::kPredicted, base::ByteCount{20'000});
  control.coded(Kind::kPredicted, kCodeOfScale12, base::ByteCount{500});
  EXPECT_EQ(control.choose(Kind::kPredicted, base::ByteCount{24'000}), kCodeOfScale12);
  EXPECT_LT(control.choose(Kind::kPredicted, base::ByteCount{26'000}), kCodeOfScale12);
}

TEST(QuantiserControlTest, KindsAreIndependent) {
  auto control = at_scale_12();
  control.coded(Kind::kPredicted, kCodeOfScale12, base::ByteCount{20'000});
  EXPECT_EQ(control.choose(Kind::kPredicted, base::ByteCount{10'600}), kCodeOfScale24);
  EXPECT_EQ(control.choose(Kind::kNew, base::ByteCount{10'600}), kCodeOfScale12);
}

constexpr int kCodeOfScale72 = 26;

TEST(QuantiserControlTest, TheSecondFrameIsThreeTimesFiner) {
  QuantiserControl control{kCrf, kPixels};
  control.coded(Kind::kNew, kCodeOfScale72, base::ByteCount{10'000});
  EXPECT_EQ(control.choose(Kind::kPredicted, base::ByteCount{10'600}), kCodeOfScale24);
}

TEST(QuantiserControlTest, AFrameAfterACoarseKeyframeIsNotMuchFiner) {
  auto control = at_scale_12();
  control.coded(Kind::kNew, kCodeOfScale72, base::ByteCount{10'000});
  EXPECT_EQ(control.choose(Kind::kPredicted, base::ByteCount{10'600}), kCodeOfScale24);
}

}  // namespace
}  // namespace transcoder
