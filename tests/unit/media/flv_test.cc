#include "media/flv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/mpegts.h"

namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

media::Packet frame(bool keyframe, media::Pts pts) {
  media::Packet packet;
  packet.keyframe = keyframe;
  packet.pts = pts;
  packet.unit = {0, 0, 0, 1, 0x65, 0xaa, 0xbb};
  return packet;
}

/// A file header, a script tag of 1 byte, a video and an audio tag of 2 bytes each.
media::Headers headers() {
  media::Headers headers;
  headers.flv = {'F', 'L', 'V', 1, 5, 0, 0, 0, 9, 0, 0, 0,    0,            //
                 18,  0,   0,   1, 0, 0, 0, 0, 0, 0, 0, 2,    0, 0, 0, 12,  //
                 9,   0,   0,   2, 0, 0, 0, 0, 0, 0, 0, 0x17, 0, 0, 0, 0,  13,
                 8,   0,   0,   2, 0, 0, 0, 0, 0, 0, 0, 0xaf, 0, 0, 0, 0,  13};
  return headers;
}

TEST(FlvTest, WrapsAKeyframe) {
  EXPECT_THAT(media::flv_tag(frame(true, 258ms)),
              ElementsAre(9, 0, 0, 12, 0, 1, 2, 0, 0, 0, 0,  // type, length, time, stream
                          0x17, 1, 0, 0, 0, 0, 0, 0, 3, 0x65, 0xaa, 0xbb,  //
                          0, 0, 0, 23));
}

TEST(FlvTest, MarksOtherFramesAsInterFrames) {
  EXPECT_EQ(media::flv_tag(frame(false, 0ms))[11], 0x27);
}

TEST(FlvTest, WrapsAudio) {
  media::Packet packet;
  packet.kind = media::Packet::Kind::kAudio;
  packet.pts = 21ms;
  packet.unit = {1, 2, 3};
  EXPECT_THAT(media::flv_tag(packet), ElementsAre(8, 0, 0, 5, 0, 0, 21, 0, 0, 0, 0,  //
                                                  0xaf, 1, 1, 2, 3, 0, 0, 0, 16));
}

TEST(FlvTest, TimestampHasItsHighByteLastAndWraps) {
  const auto time = [](media::Pts pts) {
    const auto tag = media::flv_tag(frame(true, pts));
    return Bytes(tag.begin() + 4, tag.begin() + 8);
  };
  EXPECT_THAT(time(0x12345678ms), ElementsAre(0x34, 0x56, 0x78, 0x12));
  EXPECT_THAT(time(0x112345678ms), ElementsAre(0x34, 0x56, 0x78, 0x12));
}

TEST(FlvTest, HeadersTakeTheFirstFramesTimeExceptMetadata) {
  auto expected = headers().flv;
  for (const std::size_t tag : {29, 46}) expected[tag + 6] = 42;
  EXPECT_THAT(media::flv_begin(headers(), 42ms), ElementsAreArray(expected));
}

TEST(FlvTest, PaddingConsistsOfWholeTags) {
  EXPECT_THAT(media::flv_padding(187), SizeIs(0));
  EXPECT_THAT(media::flv_padding(1'000'000), SizeIs(media::kMaxPaddingBytes));
  const auto tags = media::flv_padding(3 * 188 + 5);
  ASSERT_THAT(tags, SizeIs(3 * 188));
  for (std::size_t at = 0; at < tags.size(); at += 188) {
    EXPECT_EQ(tags[at], 18);
    EXPECT_EQ(tags[at + 2] << 8 | tags[at + 3], 188 - 15);
    EXPECT_EQ(tags[at + 187], 184);
  }
}

}  // namespace
