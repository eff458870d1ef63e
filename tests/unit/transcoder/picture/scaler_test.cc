#include "transcoder/picture/scaler.h"

#include <gtest/gtest.h>

#include "pictures.h"

namespace transcoder {
namespace {

using test::Content;
using test::Pictures;

double mean_luma(const media::Frame& frame) {
  double sum = 0;
  for (int y = 0; y < frame.format.height; ++y) {
    for (int x = 0; x < frame.format.width; ++x) sum += frame.plane[0][y * frame.stride[0] + x];
  }
  return sum / frame.format.width / frame.format.height;
}

TEST(ScalerTest, PassesThroughAPictureOfTheRightSize) {
  const auto frame = Pictures{Content::kStatic, 320, 180}.next({});
  EXPECT_EQ(Scaler{}.scale(frame, {320, 180}), frame);
}

TEST(ScalerTest, ChangesTheSizeAndKeepsThePicture) {
  const auto frame = Pictures{Content::kStatic, 320, 180}.next({});
  const auto scaled = Scaler{}.scale(frame, {160, 90});
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->format.width, 160);
  EXPECT_EQ(scaled->format.height, 90);
  EXPECT_NEAR(mean_luma(*scaled), mean_luma(*frame), 1);
}

TEST(ScalerTest, KeepsNumberAndTimes) {
  Pictures pictures{Content::kStatic, 320, 180};
  pictures.next({});
  const auto frame = pictures.next(std::chrono::milliseconds{40});
  const auto scaled = Scaler{}.scale(frame, {160, 90});
  EXPECT_EQ(scaled->number, 1U);
  EXPECT_EQ(scaled->pts, std::chrono::milliseconds{40});
  EXPECT_EQ(scaled->captured, frame->captured);
}

TEST(ScalerTest, ScaledPicturesInUseDoNotShareMemory) {
  Pictures pictures{Content::kStatic, 320, 180};
  Scaler scaler;
  const auto a = scaler.scale(pictures.next({}), {160, 90});
  const auto b = scaler.scale(pictures.next({}), {160, 90});
  EXPECT_NE(a->plane[0], b->plane[0]);
}

TEST(ScalerTest, FollowsAChangeOfTheSourcesSize) {
  Scaler scaler;
  scaler.scale(Pictures{Content::kStatic, 320, 180}.next({}), {160, 90});
  const auto scaled = scaler.scale(Pictures{Content::kStatic, 640, 480}.next({}), {120, 90});
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->format.width, 120);
}

}  // namespace
}  // namespace transcoder
