#include "app/tcp/wire_format.h"

#include <gtest/gtest.h>

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;

constexpr transcoder::AudioSettings kAudio{.enabled = true, .rate = BitRate::kbps(128)};
constexpr auto kInterval = 40ms;

/// kbit/s beside a frame's overhead and the video.
double audio_kbps(const transcoder::AudioSettings& audio, media::Container container,
                  BitRate video) {
  const transcoder::AudioSettings none{.enabled = false};
  const auto with = WireFormat{audio, container}.transport(kInterval).wire(video);
  const auto without = WireFormat{none, container}.transport(kInterval).wire(video);
  return static_cast<double>((with - without).bps()) / 1e3;
}

TEST(WireFormatTest, AudioFallsWithTheVideoRate) {
  const auto ts = media::Container::kMpegTs;
  EXPECT_NEAR(audio_kbps(kAudio, ts, BitRate::mbps(5)), 128 * 188. / 184 + 60 * 8 / 21.333, 0.1);
  EXPECT_NEAR(audio_kbps(kAudio, ts, BitRate::kbps(640)), 153.3, 0.1);
  EXPECT_NEAR(audio_kbps(kAudio, ts, BitRate::kbps(639)), 71.5, 0.1);
  EXPECT_NEAR(audio_kbps(kAudio, media::Container::kFlv, BitRate::kbps(639)), 48 + 6.4, 0.1);
  EXPECT_NEAR(audio_kbps(kAudio, media::Container::kFlv, BitRate::kbps(100)), 32 + 6.4, 0.1);
}

TEST(WireFormatTest, AnAudioFrameTakesAPacketOfMpegTs) {
  EXPECT_NEAR(audio_kbps(kAudio, media::Container::kMpegTs, BitRate::kbps(100)), 188 * 8 / 21.333,
              0.1);
}

TEST(WireFormatTest, AudioFramesOfMp4ShareAHeaderPerFrame) {
  const transcoder::AudioSettings low{.rate = BitRate::kbps(32), .min_rate = BitRate::kbps(32)};
  const double samples = 32 + 12 * 8 / 21.333;
  const double header = 96 * 8;
  const auto kbps = [&](base::Duration interval) {
    const auto mp4 = WireFormat{low, media::Container::kMp4}.transport(interval);
    const auto none = WireFormat{{.enabled = false}, media::Container::kMp4}.transport(interval);
    return (mp4.fixed - none.fixed).bps() / 1e3;
  };
  EXPECT_NEAR(kbps(40ms), samples + header / 40, 0.1);
  EXPECT_NEAR(kbps(133ms), samples + header / (4 * 21.333), 0.1) << "no more than four wait";
  EXPECT_NEAR(kbps(8ms), samples + header / 21.333, 0.1);
  const auto alone = WireFormat{low, media::Container::kMp4}.transport(40ms).audio;
  EXPECT_NEAR(alone.bps() / 1e3, samples + header / (5 * 21.333), 0.1);
}

TEST(WireFormatTest, SmallAudioFramesShareMpegTsPackets) {
  constexpr double kPacket = 188 * 8 / 21.333;  // kbit/s if each audio frame takes one
  const WireFormat ts{kAudio, media::Container::kMpegTs};
  const WireFormat none{{.enabled = false}, media::Container::kMpegTs};
  const auto kbps = [&](base::Duration interval, BitRate video) {
    return (ts.transport(interval).wire(video) - none.transport(interval).wire(video)).bps() / 1e3;
  };
  EXPECT_NEAR(kbps(33ms, BitRate::kbps(100)), kPacket, 0.1);
  EXPECT_NEAR(kbps(66ms, BitRate::kbps(100)), kPacket * 2 / 3, 0.1);
  EXPECT_NEAR(kbps(133ms, BitRate::kbps(100)), kPacket * 3 / 4, 0.1);
  EXPECT_NEAR(kbps(133ms, BitRate::kbps(300)), kbps(33ms, BitRate::kbps(300)), 0.1)
      << "at 48 kbit/s each fills most of a packet";
  EXPECT_NEAR(kbps(133ms, BitRate::mbps(2)), kbps(33ms, BitRate::mbps(2)), 0.1);
  EXPECT_NEAR(ts.transport(33ms).audio.bps() / 1e3, kPacket * 3 / 5, 0.1);
}

TEST(WireFormatTest, OneAudioRateIsTheSameForEachVideoRate) {
  constexpr transcoder::AudioSettings kOne{.rate = BitRate::kbps(96),
                                           .min_rate = BitRate::kbps(96)};
  for (const auto container : media::kContainers) {
    EXPECT_EQ(audio_kbps(kOne, container, BitRate::kbps(100)),
              audio_kbps(kOne, container, BitRate::mbps(5)));
  }
}

TEST(WireFormatTest, TheHighestRateHasTheHighestAudio) {
  const auto more = [](BitRate video) { return transport_rate(video, kAudio).bps() / 1.1; };
  EXPECT_GT(more(BitRate::kbps(100)), 100e3 + 153e3);
}

}  // namespace
}  // namespace app
