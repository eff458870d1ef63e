#include "netlab/ts_parser.h"

#include <gtest/gtest.h>

namespace netlab {
namespace {

using namespace std::chrono_literals;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint16_t kPmt = 0x100, kVideo = 0x101, kAudio = 0x102;
constexpr base::Time kStart{1s};

struct PacketOptions {
  bool unit_start = false;
  std::optional<std::uint8_t> adaptation_flags{};
  bool payload = true;
};

/// One packet, filled up with an adaptation field as ISO/IEC 13818-1 requires.
Bytes ts_packet(std::uint16_t pid, std::uint8_t counter, const Bytes& payload,
                PacketOptions options = {}) {
  const std::size_t room = 184 - (options.payload ? payload.size() : 0);
  Bytes packet{0x47, static_cast<std::uint8_t>((options.unit_start ? 0x40 : 0) | pid >> 8),
               static_cast<std::uint8_t>(pid), counter};
  if (options.payload) packet[3] |= 0x10;
  if (room > 0 || options.adaptation_flags) {
    packet[3] |= 0x20;
    packet.push_back(static_cast<std::uint8_t>(room - 1));
    if (room > 1) packet.push_back(options.adaptation_flags.value_or(0));
    packet.resize(4 + room, 0xff);
  }
  if (options.payload) packet.insert(packet.end(), payload.begin(), payload.end());
  return packet;
}

Bytes with_crc(Bytes section) {
  std::uint32_t crc = ~0u;
  for (const std::uint8_t byte : section) {
    crc ^= static_cast<std::uint32_t>(byte) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
  }
  for (int shift = 24; shift >= 0; shift -= 8) {
    section.push_back(static_cast<std::uint8_t>(crc >> shift));
  }
  section.insert(section.begin(), 0);  // pointer_field
  return section;
}

Bytes pat() {
  return ts_packet(0, 0, with_crc({0, 0xb0, 13, 0, 1, 0xc1, 0, 0, 0, 1, 0xe1, 0x00}),
                   {.unit_start = true});
}

constexpr std::uint8_t kH264 = 0x1b, kMpeg2 = 0x02;

Bytes pmt(std::uint8_t video = kH264, std::uint8_t counter = 0) {
  return ts_packet(kPmt, counter,
                   with_crc({2,     0xb0, 23,   0,    1, 0xc1, 0,    0,    0xe1, 0x01, 0xf0, 0,  //
                             video, 0xe1, 0x01, 0xf0, 0, 0x0f, 0xe1, 0x02, 0xf0, 0}),
                   {.unit_start = true});
}

Bytes pes(std::uint8_t stream_id, std::uint64_t pts, const Bytes& data) {
  Bytes bytes{0, 0, 1, stream_id, 0, 0, 0x80, 0x80, 5};
  bytes.push_back(static_cast<std::uint8_t>(0x21 | (pts >> 29 & 0x0e)));
  bytes.push_back(static_cast<std::uint8_t>(pts >> 22));
  bytes.push_back(static_cast<std::uint8_t>(1 | (pts >> 14 & 0xfe)));
  bytes.push_back(static_cast<std::uint8_t>(pts >> 7));
  bytes.push_back(static_cast<std::uint8_t>(1 | (pts << 1 & 0xfe)));
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

const Bytes kIdr{0, 0, 0, 1, 0x65, 0x88};
const Bytes kNonIdr{0, 0, 0, 1, 0x41, 0x9a};

Bytes picture(std::uint8_t counter, std::uint64_t pts, const Bytes& nal = kNonIdr) {
  return ts_packet(kVideo, counter, pes(0xe0, pts, nal), {.unit_start = true});
}

Bytes adts(std::size_t size) {
  Bytes frame(size);  // 48 kHz, stereo, no CRC
  frame[0] = 0xff;
  frame[1] = 0xf1;
  frame[2] = 0x4c;
  frame[3] = static_cast<std::uint8_t>(0x80 | size >> 11);
  frame[4] = static_cast<std::uint8_t>(size >> 3);
  frame[5] = static_cast<std::uint8_t>(size << 5 | 0x1f);
  frame[6] = 0xfc;
  return frame;
}

class TsParserTest : public testing::Test {
 protected:
  TsParserTest() {
    feed(pat());
    feed(pmt());
  }
  void feed(const Bytes& bytes, base::Time arrival = kStart) { parser_.feed(bytes, arrival); }

  std::vector<Picture> pictures_;
  TsParser parser_{[this](const Picture& picture) { pictures_.push_back(picture); }};
};

TEST_F(TsParserTest, AFrameIsCompleteWhenTheNextBegins) {
  feed(picture(0, 900));
  EXPECT_TRUE(pictures_.empty());
  feed(picture(1, 3900));
  ASSERT_EQ(pictures_.size(), 1u);
  EXPECT_EQ(pictures_[0].pts, 900);
  EXPECT_EQ(pictures_[0].bytes, kNonIdr.size());
}

TEST_F(TsParserTest, ArrivalIsThatOfTheLastByte) {
  feed(picture(0, 0), kStart);
  feed(ts_packet(kVideo, 1, Bytes(184, 0xaa)), kStart + 5ms);
  feed(picture(2, 3000), kStart + 33ms);
  EXPECT_EQ(pictures_.at(0).arrival, kStart + 5ms);
  EXPECT_EQ(pictures_.at(0).bytes, kNonIdr.size() + 184);
}

TEST_F(TsParserTest, FindsKeyframesByTheirSlice) {
  feed(picture(0, 0, kIdr));
  feed(picture(1, 3000, kNonIdr));
  feed(picture(2, 6000));
  EXPECT_TRUE(pictures_.at(0).keyframe);
  EXPECT_FALSE(pictures_.at(1).keyframe);
}

TEST_F(TsParserTest, FindsKeyframesByRandomAccessIndicator) {
  feed(ts_packet(kVideo, 0, pes(0xe0, 0, kNonIdr), {.unit_start = true, .adaptation_flags = 0x40}));
  feed(picture(1, 3000));
  EXPECT_TRUE(pictures_.at(0).keyframe);
}

TEST_F(TsParserTest, FindsAStartCodeAcrossPackets) {
  feed(ts_packet(kVideo, 0, pes(0xe0, 0, {0, 0}), {.unit_start = true}));
  feed(ts_packet(kVideo, 1, {1, 0x65}));
  feed(picture(2, 3000));
  EXPECT_TRUE(pictures_.at(0).keyframe);
}

TEST_F(TsParserTest, FindsMpeg2KeyframesByTheirType) {
  const Bytes intra{0, 0, 1, 0xb3, 0x14, 0, 0, 1, 0, 0, 0x0f}, predicted{0, 0, 1, 0, 0, 0x57};
  feed(pmt(kMpeg2, 1));
  feed(picture(0, 0, intra));
  feed(picture(1, 3000, predicted));
  feed(picture(2, 6000, kIdr));  // a slice's start code, in MPEG-2
  feed(picture(3, 9000, predicted));
  ASSERT_EQ(pictures_.size(), 3u);
  EXPECT_TRUE(pictures_.at(0).keyframe);
  EXPECT_FALSE(pictures_.at(1).keyframe);
  EXPECT_FALSE(pictures_.at(2).keyframe);
}

TEST_F(TsParserTest, CountsAMissingPacket) {
  feed(picture(0, 0));
  feed(picture(2, 3000));
  EXPECT_EQ(parser_.counters().continuity_errors, 1u);
}

TEST_F(TsParserTest, CounterWrapsAtSixteen) {
  for (int i = 0; i < 40; ++i) feed(picture(i & 15, static_cast<std::uint64_t>(i) * 3000));
  EXPECT_EQ(parser_.counters().continuity_errors, 0u);
}

TEST_F(TsParserTest, AcceptsASignalledDiscontinuity) {
  feed(picture(0, 0));
  feed(ts_packet(kVideo, 8, {}, {.adaptation_flags = 0x80, .payload = false}));
  feed(picture(9, 3000));
  EXPECT_EQ(parser_.counters().continuity_errors, 0u);
  EXPECT_EQ(parser_.counters().discontinuities_signalled, 1u);
}

TEST_F(TsParserTest, CounterStaysWithoutPayload) {
  feed(picture(0, 0));
  feed(ts_packet(kVideo, 0, {}, {.adaptation_flags = 0, .payload = false}));
  feed(picture(1, 3000));
  EXPECT_EQ(parser_.counters().continuity_errors, 0u);
}

TEST_F(TsParserTest, IgnoresOneDuplicateAndRejectsTheSecond) {
  feed(picture(0, 0));
  feed(picture(0, 0));
  EXPECT_EQ(parser_.counters().continuity_errors, 0u);
  EXPECT_TRUE(pictures_.empty());
  feed(picture(0, 0));
  EXPECT_EQ(parser_.counters().continuity_errors, 1u);
}

TEST_F(TsParserTest, CountsPadding) {
  feed(picture(0, 0));
  feed(ts_packet(0x1fff, 0, Bytes(184, 0xff)));
  EXPECT_EQ(parser_.counters().null_packets, 1u);
  EXPECT_EQ(parser_.counters().continuity_errors, 0u);
}

TEST_F(TsParserTest, FindsSyncAgainAfterGarbage) {
  feed(picture(0, 0));
  feed(Bytes(50, 0));
  feed(picture(1, 3000));
  EXPECT_EQ(parser_.counters().sync_losses, 1u);
  EXPECT_EQ(parser_.counters().continuity_errors, 0u);
  EXPECT_EQ(pictures_.size(), 1u);
}

TEST_F(TsParserTest, AcceptsSingleBytes) {
  for (const auto& bytes : {picture(0, 0), picture(1, 3000)}) {
    for (const std::uint8_t byte : bytes) feed({byte});
  }
  EXPECT_EQ(pictures_.size(), 1u);
  EXPECT_EQ(parser_.counters().sync_losses, 0u);
}

TEST_F(TsParserTest, ContinuesTimeBeyond33Bits) {
  feed(picture(0, (1ull << 33) - 1000));
  feed(picture(1, 2000));
  feed(picture(2, 5000));
  EXPECT_EQ(pictures_.at(1).pts - pictures_.at(0).pts, 3000);
}

TEST_F(TsParserTest, CountsADamagedTable) {
  Bytes damaged = pmt();
  damaged.back() ^= 1;
  damaged[3] = static_cast<std::uint8_t>((damaged[3] & 0xf0) | 1);
  feed(damaged);
  EXPECT_EQ(parser_.counters().section_errors, 1u);
}

TEST_F(TsParserTest, CountsAudioFrames) {
  Bytes two = adts(40);
  const Bytes second = adts(50);
  two.insert(two.end(), second.begin(), second.end());
  feed(ts_packet(kAudio, 0, pes(0xc0, 0, two), {.unit_start = true}));
  feed(ts_packet(kAudio, 1, pes(0xc0, 3840, adts(40)), {.unit_start = true}));
  EXPECT_EQ(parser_.counters().audio_frames, 3u);
  EXPECT_EQ(parser_.counters().audio_errors, 0u);
}

TEST_F(TsParserTest, NoticesAGapInAudio) {
  feed(ts_packet(kAudio, 0, pes(0xc0, 0, adts(40)), {.unit_start = true}));
  feed(ts_packet(kAudio, 1, pes(0xc0, 3840, adts(40)), {.unit_start = true}));
  EXPECT_EQ(parser_.counters().audio_errors, 1u);
}

TEST_F(TsParserTest, AcceptsASignalledGapInAudio) {
  feed(ts_packet(kAudio, 0, pes(0xc0, 0, adts(40)), {.unit_start = true}));
  feed(ts_packet(kAudio, 5, {}, {.adaptation_flags = 0x80, .payload = false}));
  feed(ts_packet(kAudio, 6, pes(0xc0, 90000, adts(40)), {.unit_start = true}));
  EXPECT_EQ(parser_.counters().audio_errors, 0u);
}

TEST_F(TsParserTest, CountsFramesThatArriveAfterTheirTime) {
  Bytes late = ts_packet(kVideo, 0, pes(0xe0, 8999, kNonIdr),
                         {.unit_start = true, .adaptation_flags = 0x10});
  const Bytes clock{0, 0, 0, 0, 0x7e, 0};  // PCR 0
  std::ranges::copy(clock, late.begin() + 6);
  feed(late);
  EXPECT_EQ(parser_.counters().pts_before_pcr, 0u);
  feed(ts_packet(kAudio, 0, pes(0xc0, 0, adts(40)), {.unit_start = true}));
  EXPECT_EQ(parser_.counters().pts_before_pcr, 0u);
  late[3] = static_cast<std::uint8_t>((late[3] & 0xf0) | 1);
  late[8] = 0x23;  // PCR 0x23 << 9 = 17920, later than both
  feed(late);
  feed(ts_packet(kAudio, 1, pes(0xc0, 1920, adts(40)), {.unit_start = true}));
  EXPECT_EQ(parser_.counters().pts_before_pcr, 2u);
}

TEST(TickUnwrapperTest, FollowsSmallStepsBackAcrossTheWrap) {
  TickUnwrapper unwrapper;
  unwrapper.unwrap((1ull << 33) - 10);
  const Ticks beyond = unwrapper.unwrap(5);
  EXPECT_EQ(unwrapper.unwrap((1ull << 33) - 5), beyond - 10);
}

}  // namespace
}  // namespace netlab
