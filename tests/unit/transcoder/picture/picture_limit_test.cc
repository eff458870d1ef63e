#include "transcoder/picture/picture_limit.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

TEST(PictureLimitTest, LimitsBothSidesAndTheArea) {
  const PictureSize most{8192, 4320};
  for (const PictureSize size :
       {PictureSize{1, 1}, {8192, 4320}, {4320, 8192}, {5000, 5000}, {8192, 1}}) {
    EXPECT_TRUE(is_picture_allowed(size, most)) << size.width << "x" << size.height;
  }
  for (const PictureSize size :
       {PictureSize{8256, 4320}, {8193, 1}, {1, 8193}, {6144, 6144}, {65535, 65535}}) {
    EXPECT_FALSE(is_picture_allowed(size, most)) << size.width << "x" << size.height;
  }
}

TEST(PictureLimitTest, DoesNotCountTheRestOfABlock) {
  EXPECT_TRUE(is_picture_allowed({1920, 1088}, {1920, 1080}));
  EXPECT_TRUE(is_picture_allowed({1088, 1920}, {1920, 1080}));
  EXPECT_TRUE(is_picture_allowed({384, 192}, {330, 180}));
  EXPECT_FALSE(is_picture_allowed({1920, 1152}, {1920, 1080}));
}

TEST(PictureLimitTest, NamesBothSizesAndTheSettings) {
  EXPECT_EQ(picture_refusal({40000, 30000}, {8192, 4320}),
            "the picture is 40000x30000; a source may have at most 8192x4320: raise "
            "source.max_size, and source.memory");
}

}  // namespace
}  // namespace transcoder
