#include "transcoder/encode/ts_muxer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "media/mpegts.h"
#include "sample_stream.h"
#include "ts_inspect.h"

namespace transcoder {
namespace {

using test::decode_ts;
using test::parse_ts;
using test::SampleStream;
using test::stream_types;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr int kPatPid = 0, kSdtPid = 0x11;
constexpr std::int64_t kPcrLeadTicks = 36000;               // 400 ms
constexpr std::int64_t kWrapTicks = std::int64_t{1} << 33;  // of 90 kHz timestamps

/// The PIDs of the packets, without consecutive repeats.
std::vector<int> pids(const std::vector<std::uint8_t>& bytes) {
  std::vector<int> result;
  for (const auto& packet : parse_ts(bytes)) {
    if (result.empty() || result.back() != packet.pid) result.push_back(packet.pid);
  }
  return result;
}

TEST(TsMuxerTest, AKeyframeStartsWithTheTables) {
  SampleStream stream;
  stream.video();
  EXPECT_THAT(pids(stream.video(true)),
              ElementsAre(kSdtPid, kPatPid, TsMuxer::kPmtPid, TsMuxer::kVideoPid));
}

TEST(TsMuxerTest, NothingElseCarriesTables) {
  SampleStream stream;
  stream.video();
  for (int i = 1; i < 30; ++i) {
    EXPECT_THAT(pids(stream.video()), ElementsAre(TsMuxer::kVideoPid));
    EXPECT_THAT(pids(stream.audio()), ElementsAre(TsMuxer::kAudioPid));
  }
}

TEST(TsMuxerTest, AKeyframeIsARandomAccessPoint) {
  SampleStream stream;
  stream.video();
  EXPECT_TRUE(parse_ts(stream.video(true)).at(3).random_access);
  EXPECT_FALSE(parse_ts(stream.video()).at(0).random_access);
}

TEST(TsMuxerTest, EachAccessUnitIsReturnedAtOnceInOnePesPacket) {
  SampleStream stream;
  for (int i = 0; i < 50; ++i) {
    for (const auto& bytes : {stream.video(), stream.audio()}) {
      int starts = 0;
      for (const auto& packet : parse_ts(bytes)) starts += packet.pts.has_value();
      EXPECT_EQ(starts, 1);
    }
  }
}

TEST(TsMuxerTest, AFewBytesOfSilenceAreReturnedAtOnce) {
  TsMuxer muxer{"live", VideoCodec::kH264, true};
  const media::CodedAudio silence{.bytes = std::vector<std::uint8_t>(6, 0x21)};
  ASSERT_TRUE(muxer.mux(silence, {}));  // with the tables
  for (int i = 0; i < 5; ++i) {
    const auto bytes = muxer.mux(silence, {});
    ASSERT_TRUE(bytes);
    EXPECT_EQ(bytes->size(), media::kTsPacketSize);
  }
}

TEST(TsMuxerTest, ContinuityCountersRunOn) {
  SampleStream stream;
  std::map<int, int> last;
  for (const auto& packet : parse_ts(stream.seconds(2))) {
    if (!packet.has_payload) continue;
    if (last.contains(packet.pid)) {
      EXPECT_EQ(packet.counter, (last[packet.pid] + 1) % 16) << "PID " << packet.pid;
    }
    last[packet.pid] = packet.counter;
  }
}

TEST(TsMuxerTest, ThePcrOfEveryFrameIs400MsEarlier) {
  SampleStream stream;
  for (int i = 0; i < 10; ++i) {
    const auto packets = parse_ts(stream.video());
    const auto& first = packets.at(i == 0 ? 3 : 0);
    ASSERT_TRUE(first.pcr && first.pts);
    EXPECT_EQ(*first.pts - *first.pcr, kPcrLeadTicks);
  }
}

TEST(TsMuxerTest, TheTimestampIsThePtsPlusTwiceThePcrLead) {
  SampleStream stream{std::chrono::seconds{10}};
  EXPECT_EQ(parse_ts(stream.video()).at(3).pts, 10 * 90'000 + 2 * kPcrLeadTicks);
}

TEST(TsMuxerTest, FramesCloserThanATickStillHaveRisingTimestamps) {
  TsMuxer muxer{"live", VideoCodec::kH264, false};
  const auto frame = SampleStream{}.frame(true);
  const auto first = muxer.mux(frame, media::Pts{0});
  const auto second = muxer.mux(frame, media::Pts{1});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*parse_ts(*second).at(3).pts, *parse_ts(*first).at(3).pts + 1);
}

TEST(TsMuxerTest, DecodesWithoutAMessage) {
  SampleStream stream;
  const auto decoded = decode_ts(stream.seconds(3));
  EXPECT_THAT(decoded.messages, IsEmpty());
  EXPECT_EQ(decoded.pictures, 90);
  EXPECT_EQ(decoded.audio_frames, stream.audio_frames());
  EXPECT_EQ(decoded.service, "live");
}

TEST(TsMuxerTest, AnnouncesTheStreamTypes) {
  constexpr int kH264 = 0x1b, kMpeg2 = 0x02, kAdts = 0x0f;
  EXPECT_THAT(stream_types(SampleStream{}.video()),
              ElementsAre(Pair(TsMuxer::kVideoPid, kH264), Pair(TsMuxer::kAudioPid, kAdts)));
  SampleStream mpeg2{{}, true, base::BitRate::kbps(500), VideoCodec::kMpeg2};
  EXPECT_THAT(stream_types(mpeg2.video()),
              ElementsAre(Pair(TsMuxer::kVideoPid, kMpeg2), Pair(TsMuxer::kAudioPid, kAdts)));
}

TEST(TsMuxerTest, Mpeg2DecodesWithoutAMessage) {
  SampleStream stream{{}, true, base::BitRate::kbps(500), VideoCodec::kMpeg2};
  const auto decoded = decode_ts(stream.seconds(3));
  EXPECT_THAT(decoded.messages, IsEmpty());
  EXPECT_EQ(decoded.pictures, 90);
  EXPECT_EQ(decoded.audio_frames, stream.audio_frames());
}

TEST(TsMuxerTest, DecodesWithoutAudio) {
  SampleStream stream{{}, false};
  const auto decoded = decode_ts(stream.seconds(1));
  EXPECT_THAT(decoded.messages, IsEmpty());
  EXPECT_EQ(decoded.pictures, 30);
}

TEST(TsMuxerTest, TimestampsWrapAfter26Hours) {
  const media::Pts wrap{kWrapTicks * 100'000 / 9};
  SampleStream stream{wrap - std::chrono::milliseconds{1500}};
  const auto decoded = decode_ts(stream.seconds(3));
  EXPECT_THAT(decoded.messages, IsEmpty());
  EXPECT_EQ(decoded.pictures, 90);
  EXPECT_EQ(decoded.audio_frames, stream.audio_frames());
  EXPECT_EQ(decoded.video_pts.back() - decoded.video_pts.front(), 89 * 3000);
}

TEST(TsMuxerTest, RunsForMonths) {
  SampleStream stream{std::chrono::hours{24 * 90}};
  const auto decoded = decode_ts(stream.seconds(2));
  EXPECT_THAT(decoded.messages, IsEmpty());
  EXPECT_EQ(decoded.pictures, 60);
}

}  // namespace
}  // namespace transcoder
