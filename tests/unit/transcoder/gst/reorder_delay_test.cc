#include "transcoder/gst/reorder_delay.h"

#include <gtest/gtest.h>

#include <vector>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The beginnings of video object layers that ffmpeg wrote, after a visual object sequence.
const Bytes kWithBPictures{0, 0, 1, 0xb0, 1, 0, 0, 1, 0x20, 0x08, 0xd4, 0x8d, 0x08};
const Bytes kWithout{0, 0, 1, 0xb0, 1, 0, 0, 1, 0x20, 0x00, 0xc4, 0x8d, 0x88};

TEST(ReorderDelayTest, TheLayerSaysWhetherPicturesAreReordered) {
  EXPECT_TRUE(may_reorder(kWithBPictures));
  EXPECT_FALSE(may_reorder(kWithout));
}

TEST(ReorderDelayTest, WithoutALayerNothingIsReordered) {
  EXPECT_FALSE(may_reorder({}));
  EXPECT_FALSE(may_reorder(Bytes{0, 0, 1, 0xb6, 0x10}));
  EXPECT_FALSE(may_reorder(Bytes{0, 0, 1, 0x20}));
}

}  // namespace
}  // namespace transcoder
