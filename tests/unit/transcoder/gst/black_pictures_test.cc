#include "transcoder/gst/black_pictures.h"

#include <gtest/gtest.h>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

TEST(BlackPicturesTest, WaitForOthers) {
  BlackPictures black{{}};
  const base::Time now{};
  EXPECT_FALSE(black.start(now, false));
  EXPECT_FALSE(black.start(now + BlackPictures::kPatience - 1ms, false));
  EXPECT_TRUE(black.start(now + BlackPictures::kPatience, false));
}

TEST(BlackPicturesTest, DoNotWaitOnceTheSourceIsComplete) {
  BlackPictures black{{}};
  EXPECT_TRUE(black.start({}, true));
}

TEST(BlackPicturesTest, FollowTheAudio) {
  BlackPictures black{{}};
  EXPECT_EQ(black.next(5s)->pts, 5s);
  EXPECT_FALSE(black.next(5s + 20ms));
  EXPECT_EQ(black.next(5s + 100ms)->pts, 5s + 40ms);
  EXPECT_EQ(black.next(5s + 100ms)->pts, 5s + 80ms);
  EXPECT_FALSE(black.next(5s + 100ms));
}

TEST(BlackPicturesTest, FollowAJumpOfTheAudio) {
  BlackPictures black{{}};
  EXPECT_EQ(black.next(5s)->pts, 5s);
  EXPECT_EQ(black.next(50s)->pts, 50s);
  EXPECT_EQ(black.next(1s)->pts, 1s);
}

TEST(BlackPicturesTest, AreBlackAndWithinTheLimits) {
  BlackPictures black{{.max_width = 320, .max_height = 320}};
  const auto picture = *black.next(0s);
  EXPECT_EQ(picture.format.width, 320);
  EXPECT_EQ(picture.format.height, 180);
  EXPECT_EQ(picture.plane[0][320 * 180 - 1], 16);
  EXPECT_EQ(picture.plane[1][160 * 90 - 1], 128);
}

}  // namespace
}  // namespace transcoder
