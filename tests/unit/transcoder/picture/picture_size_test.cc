#include "transcoder/picture/picture_size.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

const VideoSettings kLimits{.max_width = 1280, .max_height = 720, .max_frame_rate = 30};

TEST(PictureSizeTest, KeepsASizeThatFits) {
  EXPECT_EQ(fit_picture({1280, 720}, kLimits), (PictureSize{1280, 720}));
  EXPECT_EQ(fit_picture({640, 480}, kLimits), (PictureSize{640, 480}));
}

TEST(PictureSizeTest, MakesOddSizesEven) {
  EXPECT_EQ(fit_picture({641, 361}, kLimits), (PictureSize{640, 360}));
}

TEST(PictureSizeTest, ScalesWidePicturesByWidth) {
  EXPECT_EQ(fit_picture({3840, 1600}, kLimits), (PictureSize{1280, 534}));
}

TEST(PictureSizeTest, ScalesNarrowPicturesByHeight) {
  EXPECT_EQ(fit_picture({1440, 1080}, kLimits), (PictureSize{960, 720}));
}

TEST(PictureSizeTest, UprightPicturesMayHaveAsManyPixels) {
  EXPECT_EQ(fit_picture({1080, 1920}, kLimits), (PictureSize{720, 1280}));
  EXPECT_EQ(fit_picture({720, 1280}, kLimits), (PictureSize{720, 1280}));
  const VideoSettings upright{.max_width = 720, .max_height = 1280, .max_frame_rate = 30};
  EXPECT_EQ(fit_picture({1080, 1920}, upright), (PictureSize{720, 1280}));
  EXPECT_EQ(fit_picture({1920, 1080}, upright), (PictureSize{720, 406}));
  const VideoSettings narrow{.max_width = 176, .max_frame_rate = 30};
  EXPECT_EQ(fit_picture({352, 240}, narrow), (PictureSize{176, 120}));
  EXPECT_EQ(fit_picture({1000, 1000}, upright), (PictureSize{720, 720}));
}

TEST(PictureSizeTest, ScaledSizesAreEven) {
  EXPECT_EQ(scale_picture({1280, 720}, 1), (PictureSize{1280, 720}));
  EXPECT_EQ(scale_picture({1280, 720}, 2. / 3), (PictureSize{854, 480}));
  EXPECT_EQ(scale_picture({1280, 720}, 1. / 3), (PictureSize{426, 240}));
}

TEST(PictureSizeTest, StaysWithinOddLimits) {
  const VideoSettings odd{.max_width = 853, .max_height = 481, .max_frame_rate = 30};
  EXPECT_EQ(fit_picture({1920, 1080}, odd), (PictureSize{852, 480}));
}

TEST(PictureSizeTest, IsAtLeastTwoPixels) {
  EXPECT_EQ(fit_picture({1, 1}, kLimits), (PictureSize{2, 2}));
  EXPECT_EQ(fit_picture({100000, 2}, kLimits), (PictureSize{1280, 2}));
}

}  // namespace
}  // namespace transcoder
