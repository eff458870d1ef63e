#include "transcoder/gst/reorder_delay.h"

#include <gtest/gtest.h>

#include <vector>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

// The beginnings of video object layers that ffmpeg wrote, after a visual object sequence.
const Bytes kWithBPictures{0, 0, 1, 0xb0, 1, 0, 0, 1, 0x20, 0x08, 0xd4, 0x8d, 0x08};
const Bytes kWithout{0, 0, 1, 0xb0, 1, 0, 0, 1, 0x20, 0x00, 0xc4, 0x8d, 0x88};

/// A sequence parameter set, after an access unit delimiter.
Bytes h264(const Bytes& set) {
  Bytes result{0, 0, 0, 1, 0x09, 0xf0, 0, 0, 0, 1};
  result.insert(result.end(), set.begin(), set.end());
  result.insert(result.end(), {0, 0, 0, 1, 0x68, 0xeb});
  return result;
}

// Sets that x264 wrote.
const Bytes kPyramid{0x67, 0x64, 0x00, 0x0b, 0xac, 0xd9, 0x42, 0x8d, 0xf9, 0x30, 0x11, 0x00, 0x00,
                     0x03, 0x00, 0x01, 0x00, 0x00, 0x03, 0x00, 0x32, 0x0f, 0x14, 0x29, 0x96};
/// With a decoder model and colours.
const Bytes kOneBPicture{0x67, 0x64, 0x00, 0x14, 0xac, 0xe4, 0x0a, 0x37, 0xe4, 0xff, 0xc0,
                         0x01, 0xc0, 0x01, 0x5a, 0x80, 0x80, 0x80, 0xa0, 0x00, 0x00, 0x03,
                         0x00, 0x20, 0x00, 0x00, 0x06, 0x4c, 0x08, 0x00, 0x1e, 0x84, 0x80,
                         0x03, 0xd0, 0x94, 0x98, 0x60, 0x0f, 0x14, 0x29, 0x12};
const Bytes kInOrder{0x67, 0x64, 0x00, 0x0b, 0xac, 0xb2, 0x05, 0x1b, 0xf2, 0x60, 0x22, 0x00, 0x00,
                     0x03, 0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x64, 0x1e, 0x28, 0x54, 0x90};
/// Profile main, without usability information.
const Bytes kSilent{0x67, 0x4d, 0x40, 0x0b, 0xf4, 0x14, 0x6c, 0x80};
const Bytes kSilentBaseline{0x67, 0x42, 0xc0, 0x0b, 0xf4, 0x14, 0x6c, 0x80};

TEST(ReorderDelayTest, TheLayerSaysWhetherPicturesAreReordered) {
  EXPECT_EQ(mpeg4_reorder_delay(kWithBPictures), 1);
  EXPECT_EQ(mpeg4_reorder_delay(kWithout), 0);
}

TEST(ReorderDelayTest, WithoutALayerNothingIsKnown) {
  EXPECT_EQ(mpeg4_reorder_delay({}), std::nullopt);
  EXPECT_EQ(mpeg4_reorder_delay(Bytes{0, 0, 1, 0xb6, 0x10}), std::nullopt);
  EXPECT_EQ(mpeg4_reorder_delay(Bytes{0, 0, 1, 0x20}), std::nullopt);
}

TEST(ReorderDelayTest, TheSequenceSaysHowFarPicturesAreReordered) {
  EXPECT_EQ(h264_reorder_delay(h264(kPyramid)), 2);
  EXPECT_EQ(h264_reorder_delay(h264(kOneBPicture)), 1);
  EXPECT_EQ(h264_reorder_delay(h264(kInOrder)), 0);
}

TEST(ReorderDelayTest, BaselineHasNoBPictures) {
  EXPECT_EQ(h264_reorder_delay(h264(kSilentBaseline)), 0);
  EXPECT_EQ(h264_reorder_delay(h264(kSilent)), std::nullopt);
}

TEST(ReorderDelayTest, WithoutASequenceNothingIsKnown) {
  EXPECT_EQ(h264_reorder_delay({}), std::nullopt);
  EXPECT_EQ(h264_reorder_delay(Bytes{0, 0, 1, 0x67}), std::nullopt);
  EXPECT_EQ(h264_reorder_delay(Bytes{0, 0, 1, 0x65, 0x88, 0x84}), std::nullopt);
}

TEST(ReorderDelayTest, ACutSequenceIsNotReadPastItsEnd) {
  for (auto size = kOneBPicture.size(); size > 0; --size) {
    const Bytes cut{kOneBPicture.begin(), kOneBPicture.begin() + static_cast<std::ptrdiff_t>(size)};
    const auto delay = h264_reorder_delay(h264(cut)).value_or(0);
    EXPECT_GE(delay, 0);
    EXPECT_LE(delay, 16);
  }
}

}  // namespace
}  // namespace transcoder
