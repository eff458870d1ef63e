#include "transcoder/gst/picture_header.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace transcoder {
namespace {

using Bytes = std::vector<std::uint8_t>;

const Bytes kJpeg{0xff, 0xd8, 0xff, 0xe0, 0,    4,    1,    2,    0xff, 0xff,
                  0xc2, 0,    17,   8,    0xff, 0xdc, 0x10, 0x02, 3};
const Bytes kPng{0x89, 'P', 'N', 'G', 13, 10, 26,   10,   0, 0, 0,    13,
                 'I',  'H', 'D', 'R', 0,  0,  0x9c, 0x40, 0, 0, 0x75, 0x30};
const Bytes kVp8{0x10, 2, 0, 0x9d, 0x01, 0x2a, 0x40, 0x41, 0xb4, 0x80};
const Bytes kTheora{0x80, 't', 'h', 'e', 'o', 'r', 'a', 3, 2, 1, 0x10, 0, 0, 12};

TEST(PictureHeaderTest, ReadsTheSize) {
  EXPECT_EQ(size_in_header("image/jpeg", kJpeg), (PictureSize{0x1002, 0xffdc}));
  EXPECT_EQ(size_in_header("image/png", kPng), (PictureSize{40000, 30000}));
  EXPECT_EQ(size_in_header("video/x-vp8", kVp8), (PictureSize{0x140, 0xb4}));
  EXPECT_EQ(size_in_header("video/x-theora", kTheora), (PictureSize{65536, 192}));
}

TEST(PictureHeaderTest, NeedsAWholeHeader) {
  for (const auto& [format, whole] : {std::pair{"image/jpeg", kJpeg},
                                      {"image/png", kPng},
                                      {"video/x-vp8", kVp8},
                                      {"video/x-theora", kTheora}}) {
    const std::size_t needed = whole.size() - (whole == kJpeg ? 1 : 0);
    for (std::size_t size = 0; size < needed; ++size) {
      EXPECT_FALSE(size_in_header(format, std::span{whole}.first(size))) << format << " " << size;
    }
  }
}

TEST(PictureHeaderTest, OtherDataHaveNone) {
  EXPECT_FALSE(size_in_header("video/x-h264", kJpeg));
  EXPECT_FALSE(size_in_header("image/jpeg", kVp8));
  auto difference = kVp8;
  difference[0] |= 1;  // no keyframe
  EXPECT_FALSE(size_in_header("video/x-vp8", difference));
  EXPECT_FALSE(size_in_header("image/jpeg", Bytes{0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace transcoder
