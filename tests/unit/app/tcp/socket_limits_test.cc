#include "app/tcp/socket_limits.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "app/tcp/wire_format.h"
#include "base/unique_fd.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;

constexpr transcoder::AudioSettings kAudio{.enabled = true, .rate = BitRate::kbps(128)};
constexpr transcoder::AudioSettings kNoAudio{.enabled = false, .rate = BitRate::kbps(128)};

TEST(SocketLimitsTest, PacingAtFactorOneCarriesTheWholeStream) {
  // 300 kbit/s of video become 336 in MPEG-TS, 128 of audio up to 188 (docs/decisions/0001).
  const auto limit = pacing_limit(BitRate::kbps(300), kAudio, {.pacing = 1});
  EXPECT_GE(limit, BitRate::kbps(336 + 188));
  EXPECT_LE(limit, BitRate::kbps(1.1 * (336 + 188)));
}

TEST(SocketLimitsTest, PacingAtFactorOneCarries60SmallFramesPerSecond) {
  constexpr auto kVideo = BitRate::kbps(100);
  EXPECT_GE(pacing_limit(kVideo, kNoAudio, {.pacing = 1}),
            WireFormat(kNoAudio, media::Container::kMpegTs).transport(16667us).wire(kVideo));
}

TEST(SocketLimitsTest, PacingAtFactorOneCarriesEveryContainer) {
  constexpr auto kVideo = BitRate::kbps(100);
  const auto limit = pacing_limit(kVideo, kAudio, {.pacing = 1});
  for (const auto container : {media::Container::kFlv, media::Container::kMp4}) {
    EXPECT_GE(limit, WireFormat(kAudio, container).transport(16667us).wire(kVideo));
  }
}

TEST(SocketLimitsTest, PacingAllowsForAudioOnlyIfThereIsAny) {
  const auto without_audio = pacing_limit(BitRate::mbps(1), kNoAudio, {.pacing = 2});
  EXPECT_LE(without_audio, BitRate::mbps(2.4));
  EXPECT_GE(pacing_limit(BitRate::mbps(1), kAudio, {.pacing = 2}), without_audio + 2 * kAudio.rate);
}

TEST(SocketLimitsTest, PacingAtFactorZeroSetsNoLimit) {
  EXPECT_EQ(pacing_limit(BitRate::mbps(1), kAudio, {.pacing = 0}), BitRate{});
}

TEST(SocketLimitsTest, TheUnsentLimitHoldsOneFrameOfTheViewersRate) {
  EXPECT_EQ(notsent_limit(BitRate::mbps(5), 40ms, {.notsent_lowat = ByteCount{1024}}),
            ByteCount{25'000});
  EXPECT_EQ(notsent_limit(BitRate::kbps(500), 40ms, {.notsent_lowat = ByteCount{1024}}),
            ByteCount{2'500});
  EXPECT_EQ(notsent_limit(BitRate::kbps(100), 40ms, {.notsent_lowat = ByteCount{4096}}),
            ByteCount{4096});
}

TEST(SocketLimitsTest, TheKernelAcceptsTheLimits) {
  const base::UniqueFd socket{::socket(AF_INET, SOCK_STREAM, 0)};
  EXPECT_EQ(apply({BitRate::mbps(1), ByteCount{12'345}}, socket.get()), nullptr);
  int limit = 0;
  socklen_t length = sizeof limit;
  ASSERT_EQ(::getsockopt(socket.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &limit, &length), 0);
  EXPECT_EQ(limit, 12'345);
}

TEST(SocketLimitsTest, NamesTheRefusedOption) {
  EXPECT_STREQ(apply({BitRate::mbps(1), ByteCount{1}}, -1), "TCP_NOTSENT_LOWAT");
}

}  // namespace
}  // namespace app
