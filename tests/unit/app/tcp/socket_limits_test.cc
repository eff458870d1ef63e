#include "app/tcp/socket_limits.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/unique_fd.h"

namespace app {
namespace {

using base::BitRate;
using base::ByteCount;

constexpr transcoder::AudioSettings kAudio{.enabled = true, .rate = BitRate::kbps(128)};
constexpr transcoder::AudioSettings kSilent{.enabled = false, .rate = BitRate::kbps(128)};

TEST(SocketLimitsTest, PacingOfOneCarriesTheWholeStream) {
  // 300 kbit/s of video are 336 in MPEG-TS, 128 of audio up to 188 (docs/decisions/0001).
  const auto limit = pacing_limit(BitRate::kbps(300), kAudio, {.pacing = 1});
  EXPECT_GE(limit, BitRate::kbps(336 + 188));
  EXPECT_LE(limit, BitRate::kbps(1.1 * (336 + 188)));
}

TEST(SocketLimitsTest, PacingOfOneCarries60SmallFramesPerSecond) {
  constexpr auto kVideo = BitRate::kbps(100);
  EXPECT_GE(pacing_limit(kVideo, kSilent, {.pacing = 1}),
            transport(kSilent, media::Container::kMpegTs, std::chrono::microseconds{16'667})
                .wire(kVideo));
}

TEST(SocketLimitsTest, PacingOfOneCarriesEveryContainer) {
  constexpr auto kVideo = BitRate::kbps(100);
  const auto limit = pacing_limit(kVideo, kAudio, {.pacing = 1});
  for (const auto container : {media::Container::kFlv, media::Container::kMp4}) {
    EXPECT_GE(limit, transport(kAudio, container, std::chrono::microseconds{16'667}).wire(kVideo));
  }
}

TEST(SocketLimitsTest, PacingCountsNoAudioWhereThereIsNone) {
  const auto silent = pacing_limit(BitRate::mbps(1), kSilent, {.pacing = 2});
  EXPECT_LE(silent, BitRate::mbps(2.4));
  EXPECT_GE(pacing_limit(BitRate::mbps(1), kAudio, {.pacing = 2}), silent + 2 * kAudio.rate);
}

TEST(SocketLimitsTest, NoPacingIsNoLimit) {
  EXPECT_EQ(pacing_limit(BitRate::mbps(1), kAudio, {.pacing = 0}), BitRate{});
}

TEST(SocketLimitsTest, TheMarkHoldsAFrameOfTheViewersRate) {
  EXPECT_EQ(notsent_limit(BitRate::mbps(5), {.notsent_lowat = ByteCount{1024}}), ByteCount{25'000});
  EXPECT_EQ(notsent_limit(BitRate::kbps(500), {.notsent_lowat = ByteCount{1024}}),
            ByteCount{2'500});
  EXPECT_EQ(notsent_limit(BitRate::kbps(100), {.notsent_lowat = ByteCount{4096}}), ByteCount{4096});
}

TEST(SocketLimitsTest, TheKernelTakesThem) {
  const base::UniqueFd socket{::socket(AF_INET, SOCK_STREAM, 0)};
  EXPECT_EQ(apply({BitRate::mbps(1), ByteCount{12'345}}, socket.get()), nullptr);
  int mark = 0;
  socklen_t length = sizeof mark;
  ASSERT_EQ(::getsockopt(socket.get(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &mark, &length), 0);
  EXPECT_EQ(mark, 12'345);
}

TEST(SocketLimitsTest, ARefusalIsNamed) {
  EXPECT_STREQ(apply({BitRate::mbps(1), ByteCount{1}}, -1), "TCP_NOTSENT_LOWAT");
}

}  // namespace
}  // namespace app
