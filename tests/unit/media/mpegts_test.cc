#include "media/mpegts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sample_stream.h"
#include "ts_inspect.h"

namespace media {
namespace {

using base::BitRate;
using ::testing::IsEmpty;
using ::testing::Not;
using transcoder::test::decode_ts;
using transcoder::test::parse_ts;
using transcoder::test::SampleStream;

using Bytes = std::vector<std::uint8_t>;

TEST(TsPaddingTest, ADemuxerIgnoresIt) {
  SampleStream stream;
  Bytes bytes = stream.seconds(1);
  const auto plain = decode_ts(bytes);
  Bytes padded;
  for (std::size_t i = 0; i < bytes.size(); i += kTsPacketSize) {
    padded.insert(padded.end(), &bytes[i], &bytes[i] + kTsPacketSize);
    if (i / kTsPacketSize % 20 != 0) continue;
    const auto padding = ts_padding(3 * kTsPacketSize + 100);
    EXPECT_EQ(padding.size(), 3 * kTsPacketSize);
    padded.insert(padded.end(), padding.begin(), padding.end());
  }
  const auto decoded = decode_ts(padded);
  EXPECT_THAT(decoded.messages, IsEmpty());
  EXPECT_EQ(decoded.pictures, plain.pictures);
  EXPECT_EQ(decoded.audio_frames, plain.audio_frames);
}

TEST(TsTablesTest, CountersContinueAcrossGroups) {
  SampleStream a;
  SampleStream b;
  b.video(true);  // so that the counters of `b` are ahead
  TsTables tables;
  for (int i = 0; i < 20; ++i) {
    const auto packets = parse_ts(tables.take((i % 3 == 0 ? b : a).video(true)));
    ASSERT_EQ(packets.size(), 3U);
    for (const auto& packet : packets) EXPECT_EQ(packet.counter, (1 + i) % 16) << packet.pid;
  }
}

TEST(TsTablesTest, OrdinaryFramesHaveNoTables) {
  SampleStream stream;
  stream.video(true);
  EXPECT_THAT(TsTables{}.take(stream.video()), IsEmpty());
}

/// A stream with the lowest audio rate, of whose audio always `count` frames go through TsAudio
/// together.
struct JoinedAudio {
  explicit JoinedAudio(std::size_t count) {
    for (int i = 0; i < 60; ++i) {
      add(stream.video());
      std::vector<Bytes> units;
      while (units.size() < count) units.push_back(stream.audio());
      for (const auto& unit : units) plain.insert(plain.end(), unit.begin(), unit.end());
      const auto joint =
          audio.take(std::vector<std::span<const std::uint8_t>>{units.begin(), units.end()});
      joined += joint.empty() ? 0 : 1;
      if (joint.empty()) {
        for (const auto& unit : units) add(unit);
      } else {
        bytes.insert(bytes.end(), joint.begin(), joint.end());
      }
    }
  }
  void add(const Bytes& unit) {
    bytes.insert(bytes.end(), unit.begin(), unit.end());
    if (parse_ts(unit).back().pid != transcoder::TsMuxer::kAudioPid) {
      plain.insert(plain.end(), unit.begin(), unit.end());
    }
  }

  SampleStream stream{
      {}, true, BitRate::kbps(500), transcoder::VideoCodec::kH264, BitRate::kbps(32)};
  TsAudio audio;
  Bytes plain;
  Bytes bytes;
  int joined = 0;
};

class TsAudioTest : public testing::TestWithParam<std::size_t> {};

TEST_P(TsAudioTest, FramesInOnePesPacketPlayLikeFramesInTheirOwn) {
  const JoinedAudio made{GetParam()};
  const auto joined = decode_ts(made.bytes);
  const auto plain = decode_ts(made.plain);
  EXPECT_THAT(joined.messages, IsEmpty());
  EXPECT_EQ(joined.pictures, plain.pictures);
  EXPECT_EQ(joined.audio_frames, plain.audio_frames);
  EXPECT_EQ(joined.audio_pts, plain.audio_pts);
  EXPECT_EQ(joined.samples, plain.samples);
  EXPECT_LT(made.bytes.size(), made.plain.size());
  EXPECT_EQ(made.joined, 60);
}
INSTANTIATE_TEST_SUITE_P(Counts, TsAudioTest, testing::Values(3, 5, 7));

TEST(TsAudioTest, AFrameAloneStaysAsItIsUntilOthersHaveBeenJoined) {
  EXPECT_EQ(JoinedAudio{1}.joined, 0);
  JoinedAudio made{3};
  const auto before = made.bytes.size();
  const auto unit = made.stream.audio();
  const auto copy = made.audio.take(std::vector<std::span<const std::uint8_t>>{unit});
  ASSERT_EQ(copy.size(), unit.size());
  made.bytes.insert(made.bytes.end(), copy.begin(), copy.end());
  EXPECT_THAT(decode_ts(made.bytes).messages, IsEmpty());
  EXPECT_GT(made.bytes.size(), before);
  made.audio.splice();
  EXPECT_THAT(made.audio.take(std::vector<std::span<const std::uint8_t>>{unit}), IsEmpty());
}

TEST(TsAudioTest, FramesThatFillPacketsStayAsTheyAre) {
  SampleStream stream;
  TsAudio audio;
  stream.audio();
  const auto a = stream.audio(), b = stream.audio();
  EXPECT_THAT(audio.take(std::vector<std::span<const std::uint8_t>>{a, b}), IsEmpty());
}

TEST(TsPaddingTest, HasALimit) { EXPECT_EQ(ts_padding(1'000'000).size(), kMaxPaddingBytes); }

/// A TS packet without content.
Bytes packet(unsigned pid, unsigned counter, std::uint8_t control = 0x10) {
  Bytes bytes(kTsPacketSize, 0xff);
  bytes[0] = 0x47;
  bytes[1] = static_cast<std::uint8_t>(pid >> 8);
  bytes[2] = static_cast<std::uint8_t>(pid);
  bytes[3] = static_cast<std::uint8_t>(control | counter);
  return bytes;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(TsSpliceTest, MakesOnePacketForEachPid) {
  const auto splice = parse_ts(ts_splice(packet(7, 0) + packet(8, 0) + packet(7, 1)));
  ASSERT_EQ(splice.size(), 2U);
  EXPECT_EQ(splice[0].pid, 7);
  EXPECT_EQ(splice[1].pid, 8);
}

TEST(TsSpliceTest, HasTheCounterBeforeTheNextPackets) {
  EXPECT_EQ(parse_ts(ts_splice(packet(7, 5))).at(0).counter, 4);
  EXPECT_EQ(parse_ts(ts_splice(packet(7, 0))).at(0).counter, 15);
}

TEST(TsSpliceTest, IsOnlyAnAdaptationField) {
  EXPECT_FALSE(parse_ts(ts_splice(packet(7, 5))).at(0).has_payload);
}

TEST(TsSpliceTest, IgnoresNullPackets) { EXPECT_THAT(ts_splice(packet(0x1fff, 0)), IsEmpty()); }

TEST(TsSpliceTest, IgnoresATruncatedPacket) {
  auto bytes = packet(7, 0);
  bytes.pop_back();
  EXPECT_THAT(ts_splice(bytes), IsEmpty());
}

/// Two groups of one stream: the same frames at different rates, so that their continuity counters
/// differ. A viewer receives the first second of one and the second of the other.
class SwitchTest : public ::testing::Test {
  SampleStream from_{{}, true, base::BitRate::kbps(1000)};
  SampleStream to_{{}, true, base::BitRate::kbps(300)};

 protected:
  const Bytes before_ = from_.seconds(1);
  const Bytes after_ = (to_.seconds(1), to_.seconds(1));
};

TEST_F(SwitchTest, ADecoderAcceptsItWithASplice) {
  const auto decoded = decode_ts(before_ + ts_splice(after_) + after_);
  EXPECT_THAT(decoded.messages, IsEmpty());
}

TEST_F(SwitchTest, ADecoderComplainsWithoutASplice) {
  EXPECT_THAT(decode_ts(before_ + after_).messages, Not(IsEmpty()));
}

TEST_F(SwitchTest, LosesAndRepeatsNothing) {
  const auto decoded = decode_ts(before_ + ts_splice(after_) + after_);
  EXPECT_EQ(decoded.pictures, 60);
  ASSERT_EQ(decoded.video_pts.size(), 60U);
  for (std::size_t i = 1; i < decoded.video_pts.size(); ++i) {
    EXPECT_EQ(decoded.video_pts[i] - decoded.video_pts[i - 1], 3000) << "frame " << i;
  }
  for (std::size_t i = 1; i < decoded.audio_pts.size(); ++i) {
    EXPECT_EQ(decoded.audio_pts[i] - decoded.audio_pts[i - 1], 1920) << "audio " << i;
  }
}

TEST_F(SwitchTest, SplicesEachPidWhenItsFirstUnitArrives) {
  // At the moment of the switch the server has only the first unit to splice. The other PIDs are
  // spliced with their own first units.
  const auto units = parse_ts(after_);
  std::size_t first = 1;
  while (first < units.size() && !(units[first].pts && units[first].pid != 0x100)) ++first;
  const auto cut = static_cast<std::ptrdiff_t>(first * kTsPacketSize);
  const Bytes video{after_.begin(), after_.begin() + cut};
  const Bytes rest{after_.begin() + cut, after_.end()};
  const Bytes audio{rest.begin(), rest.begin() + kTsPacketSize};
  const auto decoded = decode_ts(before_ + ts_splice(video) + video + ts_splice(audio) + rest);
  EXPECT_THAT(decoded.messages, IsEmpty());
}

}  // namespace
}  // namespace media
