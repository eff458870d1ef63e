#include "transcoder/encode/container_headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "media/flv.h"
#include "media/mp4.h"
#include "sample_stream.h"
#include "transcoder/encode/aac_config.h"
#include "ts_inspect.h"

namespace transcoder {
namespace {

using std::chrono::seconds;
using test::SampleStream;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Bytes = std::vector<std::uint8_t>;

media::PictureFormat format(int width = 320, int height = 180) {
  media::PictureFormat result;
  result.width = width;
  result.height = height;
  return result;
}

constexpr media::Pts kStart = seconds{100};
constexpr media::Pts kFrameInterval = seconds{1} / 30;

media::Packet video(const EncodedFrame& frame, std::uint64_t number) {
  media::Packet packet;
  packet.keyframe = frame.keyframe;
  packet.number = number;
  packet.pts = kStart + media::Pts{seconds{1}} * number / 30;
  packet.duration = kFrameInterval;
  packet.unit = frame.bytes;
  return packet;
}

media::Packet audio(const media::AudioFrame& frame) {
  media::Packet packet;
  packet.kind = media::Packet::Kind::kAudio;
  packet.number = frame.number;
  packet.pts = frame.pts;
  packet.duration = kAacFrameDuration;
  packet.unit = frame.rungs[0].bytes;
  return packet;
}

void append(Bytes& out, std::span<const std::uint8_t> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

/// Two seconds of the real encoders' output after its headers, read by libavformat and libavcodec.
class ContainerHeadersTest : public ::testing::Test {
 protected:
  media::HeadersPtr begin(SampleStream& stream) {
    first_ = stream.frame(true);
    return headers_.update(first_.bytes, format());
  }

  void append_rest(Bytes& out, SampleStream& stream, media::Container container) {
    append(out, video(first_, 0).in(container));
    for (std::uint64_t i = 1; i < 60; ++i) {
      append(out, audio(stream.audio_frame()).in(container));
      append(out, video(stream.frame(), i).in(container));
    }
  }

  /// `rounding`: tolerance of the timestamps, in ticks.
  static void expect_all(const test::Decoded& decoded, double ticks_per_second, double rounding) {
    EXPECT_THAT(decoded.messages, IsEmpty());
    EXPECT_EQ(decoded.tracks, 2u);
    EXPECT_EQ(decoded.pictures, 60);
    EXPECT_EQ(decoded.audio_frames, 59);
    ASSERT_THAT(decoded.video_pts, SizeIs(60));
    for (std::size_t i = 0; i < 60; ++i) {
      const double ticks = (100 + static_cast<double>(i) / 30) * ticks_per_second;
      EXPECT_NEAR(static_cast<double>(decoded.video_pts[i]), ticks, rounding + 1e-6);
    }
  }

  ContainerHeaders headers_{true};
  EncodedFrame first_;
};

TEST_F(ContainerHeadersTest, FlvIsReadWithoutAMessage) {
  SampleStream stream{kStart};
  Bytes bytes = media::flv_begin(*begin(stream), kStart);
  append(bytes, media::flv_padding(1000));
  append_rest(bytes, stream, media::Container::kFlv);
  expect_all(test::decode(bytes, "flv"), 1'000, 1);
}

TEST_F(ContainerHeadersTest, Mp4IsReadWithoutAMessage) {
  SampleStream stream{kStart};
  Bytes bytes = begin(stream)->mp4;
  append(bytes, media::mp4_padding(1000));
  append_rest(bytes, stream, media::Container::kMp4);
  expect_all(test::decode(bytes, "mp4"), media::kMp4VideoTimescale, 0);
}

TEST_F(ContainerHeadersTest, EachTrackIsReadAloneInChunks) {
  SampleStream stream{kStart};
  const auto headers = begin(stream);
  std::vector<media::PacketPtr> frames{std::make_shared<media::Packet>(video(first_, 0))};
  std::vector<media::PacketPtr> audio_frames;
  for (std::uint64_t i = 1; i < 60; ++i) {
    audio_frames.push_back(std::make_shared<media::Packet>(audio(stream.audio_frame())));
    frames.push_back(std::make_shared<media::Packet>(video(stream.frame(), i)));
  }
  Bytes bytes = headers->mp4_video;
  const std::span all{frames};
  append(bytes, media::mp4_chunk(all.first(25), frames[25]->pts, 1));
  append(bytes, media::mp4_chunk(all.subspan(25), kStart + seconds{2}, 2));
  const auto seen = test::decode(bytes, "mp4");
  EXPECT_THAT(seen.messages, IsEmpty());
  EXPECT_EQ(seen.pictures, 60);
  EXPECT_EQ(seen.video_pts.at(30), 9'000'000 + 3000 * 30);
  bytes = headers->mp4_audio;
  append(bytes, media::mp4_chunk(audio_frames, audio_frames.back()->pts + kAacFrameDuration, 1));
  const auto heard = test::decode(bytes, "mp4");
  EXPECT_THAT(heard.messages, IsEmpty());
  EXPECT_EQ(heard.audio_frames, 59);
  EXPECT_EQ(heard.tracks, 1u);
}

TEST_F(ContainerHeadersTest, NamesTheCodec) {
  SampleStream stream;
  EXPECT_THAT(begin(stream)->codec, ::testing::StartsWith("avc3.64"));
}

TEST_F(ContainerHeadersTest, HeadersStayTheSameWhileNothingChanges) {
  SampleStream stream;
  const auto first = begin(stream);
  EXPECT_EQ(headers_.update(stream.frame(true).bytes, format()), first);
}

TEST_F(ContainerHeadersTest, HeadersChangeWithTheAspectRatio) {
  SampleStream stream;
  const auto first = begin(stream);
  auto wide = format();
  wide.sar_num = 4;
  wide.sar_den = 3;
  const auto second = headers_.update(first_.bytes, wide);
  EXPECT_NE(*second, *first);
}

TEST_F(ContainerHeadersTest, NeedsParameterSets) {
  EXPECT_THROW(headers_.update(Bytes{0, 0, 1, 0x65, 1}, format()), std::runtime_error);
}

}  // namespace
}  // namespace transcoder
