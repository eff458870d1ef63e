#include "media/mp4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/mpegts.h"

namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

media::Packet frame(bool keyframe) {
  media::Packet packet;
  packet.keyframe = keyframe;
  packet.number = 4;
  packet.pts = 1s;
  packet.duration = 40ms;
  packet.unit = {0, 0, 0, 1, 0x65, 0xaa, 0xbb};
  return packet;
}

TEST(Mp4Test, WrapsAKeyframe) {
  EXPECT_THAT(
      media::mp4_fragment(frame(true)),
      ElementsAreArray(Bytes{0, 0, 0,    100,  'm',  'o',  'o',  'f',               //
                             0, 0, 0,    16,   'm',  'f',  'h',  'd',  0, 0, 0, 0,  //
                             0, 0, 0,    5,                            // sequence_number
                             0, 0, 0,    76,   't',  'r',  'a',  'f',  //
                             0, 0, 0,    16,   't',  'f',  'h',  'd',  0, 2, 0, 0, 0, 0, 0, 1,  //
                             0, 0, 0,    20,   't',  'f',  'd',  't',  1, 0, 0, 0,              //
                             0, 0, 0,    0,    0,    1,    0x5f, 0x90,  // 90000
                             0, 0, 0,    32,   't',  'r',  'u',  'n',  0, 0, 7, 1, 0, 0, 0, 1,  //
                             0, 0, 0,    108,                          // data
                             0, 0, 0x0e, 0x10,                         // 3600
                             0, 0, 0,    7,    2,    0,    0,    0,    //
                             0, 0, 0,    15,   'm',  'd',  'a',  't',  //
                             0, 0, 0,    3,    0x65, 0xaa, 0xbb}));
}

TEST(Mp4Test, AChunkOfOneFrameIsAFragmentThatLastsToTheChunksEnd) {
  auto packet = frame(true);
  const auto chunk =
      media::mp4_chunk(std::vector{std::make_shared<const media::Packet>(packet)}, 1s + 60ms, 5);
  packet.duration = 60ms;
  EXPECT_THAT(chunk, ElementsAreArray(media::mp4_fragment(packet)));
}

TEST(Mp4Test, EachSampleLastsUntilTheNext) {
  std::vector<media::PacketPtr> packets;
  for (const auto pts : {1000ms, 1040ms, 1120ms}) {
    auto packet = frame(packets.empty());
    packet.pts = pts;
    packets.push_back(std::make_shared<const media::Packet>(packet));
  }
  const auto chunk = media::mp4_chunk(packets, 1160ms, 7);
  const auto number = [&](std::size_t at) {
    return chunk[at] << 24 | chunk[at + 1] << 16 | chunk[at + 2] << 8 | chunk[at + 3];
  };
  EXPECT_EQ(number(20), 7);             // sequence_number
  EXPECT_EQ(number(80), 3);             // samples
  EXPECT_EQ(number(84), 108 + 2 * 12);  // data
  EXPECT_EQ(number(88), 3600);
  EXPECT_EQ(number(100), 7200);
  EXPECT_EQ(number(112), 3600);
  EXPECT_EQ(number(124), 8 + 3 * 7);  // mdat
  EXPECT_EQ(chunk.size(), 108u + 2 * 12 + 3 * 7);
}

TEST(Mp4Test, AJointHeaderMakesOneFragmentOfSeveral) {
  std::vector<media::PacketPtr> packets;
  std::vector<const media::Packet*> pointers;
  media::Packet packet;
  packet.kind = media::Packet::Kind::kAudio;
  packet.duration = 21'333'333ns;
  for (const std::uint8_t size : {3, 5, 4}) {
    packet.number = 46 + packets.size();
    packet.pts = 1s + static_cast<std::int64_t>(packets.size()) * packet.duration;
    packet.unit = Bytes(size, size);
    packets.push_back(std::make_shared<const media::Packet>(packet));
    pointers.push_back(packets.back().get());
  }
  auto joint = media::mp4_joint_header(pointers);
  for (const auto& one : packets) {
    const auto bytes = one->in(media::Container::kMp4).subspan(media::kMp4FragmentHeaderBytes);
    joint.insert(joint.end(), bytes.begin(), bytes.end());
  }
  const auto chunk = media::mp4_chunk(packets, packet.pts + packet.duration, 47);
  ASSERT_THAT(joint, SizeIs(chunk.size()));
  EXPECT_EQ(joint[47], media::kMp4AudioTrack);
  joint[47] = media::kMp4OnlyTrack;
  EXPECT_THAT(joint, ElementsAreArray(chunk));
}

TEST(Mp4Test, OtherFramesAreNonSyncSamples) {
  const auto fragment = media::mp4_fragment(frame(false));
  EXPECT_THAT(Bytes(fragment.begin() + 96, fragment.begin() + 100), ElementsAre(1, 1, 0, 0));
}

TEST(Mp4Test, AudioHasItsOwnTrackAndTimescale) {
  media::Packet packet;
  packet.kind = media::Packet::Kind::kAudio;
  packet.pts = 1s;
  packet.duration = 21'333'333ns;
  packet.unit = {1, 2, 3};
  const auto fragment = media::mp4_fragment(packet);
  EXPECT_EQ(fragment[47], 2);  // track
  EXPECT_THAT(Bytes(fragment.begin() + 64, fragment.begin() + 68), ElementsAre(0, 0, 0xbb, 0x80));
  EXPECT_THAT(Bytes(fragment.begin() + 88, fragment.begin() + 92), ElementsAre(0, 0, 4, 0));
  EXPECT_THAT(Bytes(fragment.begin() + media::kMp4FragmentHeaderBytes, fragment.end()),
              ElementsAre(1, 2, 3));
}

TEST(Mp4Test, RoundedDurationsAddUp) {
  // 30 frames per second are 33.333... ms and not a whole number of nanoseconds.
  media::Packet packet = frame(false);
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < 30; ++i) {
    packet.pts = media::Pts{1'000'000'000 * i / 30};
    packet.duration = media::Pts{1'000'000'000 * (i + 1) / 30} - packet.pts;
    const auto fragment = media::mp4_fragment(packet);
    sum += static_cast<std::uint64_t>(fragment[90]) << 8 | fragment[91];
  }
  EXPECT_EQ(sum, media::kMp4VideoTimescale);
}

TEST(Mp4Test, ABridgeStartsWhereTheLastFrameEnded) {
  const auto packet = frame(false);
  const auto whole = media::mp4_fragment(packet);
  Bytes expected(whole.begin(), whole.begin() + media::kMp4FragmentHeaderBytes);
  // 800 ms: 72000; 1040 - 800 ms: 21600
  expected[65] = 1, expected[66] = 0x19, expected[67] = 0x40;
  expected[90] = 0x54, expected[91] = 0x60;
  EXPECT_THAT(media::mp4_bridge(packet, 800ms), ElementsAreArray(expected));
}

TEST(Mp4Test, PaddingConsistsOfWholeBoxes) {
  EXPECT_THAT(media::mp4_padding(187), SizeIs(0));
  EXPECT_THAT(media::mp4_padding(1'000'000), SizeIs(media::kMaxPaddingBytes));
  const auto boxes = media::mp4_padding(2 * 188);
  ASSERT_THAT(boxes, SizeIs(2 * 188));
  EXPECT_THAT(Bytes(boxes.begin() + 188, boxes.begin() + 196),
              ElementsAre(0, 0, 0, 188, 'f', 'r', 'e', 'e'));
}

}  // namespace
