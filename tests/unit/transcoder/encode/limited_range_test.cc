#include "transcoder/encode/limited_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace transcoder {
namespace {

using ::testing::ElementsAre;

/// A picture of 4 x 2 pixels with strides of 5; unused samples are 7.
class LimitedRangeTest : public ::testing::Test {
 protected:
  LimitedRangeTest() {
    frame_.format = {.width = 4, .height = 2};
    frame_.plane = {luma_.data(), chroma_.data(), chroma_.data()};
    frame_.stride = {5, 5, 5};
  }

  const std::vector<std::uint8_t> luma_{0, 255, 128, 1, 7, 255, 0, 254, 64, 7};
  const std::vector<std::uint8_t> chroma_{0, 255, 7, 7, 7};
  media::Frame frame_;
  LimitedRange limited_range_;
};

TEST_F(LimitedRangeTest, PicturesOfLimitedRangeAreUnchanged) {
  const auto result = limited_range_.convert(frame_);
  EXPECT_EQ(result.plane, frame_.plane);
  EXPECT_EQ(result.stride, frame_.stride);
}

TEST_F(LimitedRangeTest, FullRangeIsMappedToTheLimits) {
  frame_.format.colour.full_range = true;
  const auto result = limited_range_.convert(frame_);
  EXPECT_FALSE(result.format.colour.full_range);
  ASSERT_THAT(result.stride, ElementsAre(4, 2, 2));
  EXPECT_THAT(std::vector(result.plane[0], result.plane[0] + 8),
              ElementsAre(16, 235, 126, 17, 235, 16, 234, 71));
  EXPECT_THAT(std::vector(result.plane[1], result.plane[1] + 2), ElementsAre(16, 240));
}

}  // namespace
}  // namespace transcoder
