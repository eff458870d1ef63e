#include "app/socket_limits.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/unique_fd.h"

namespace app {
namespace {

using base::BitRate;
using base::ByteCount;

constexpr transcoder::AudioSettings kSound{.enabled = true, .rate = BitRate::kbps(128)};
constexpr transcoder::AudioSettings kSilent{.enabled = false, .rate = BitRate::kbps(128)};

TEST(SocketLimitsTest, PacingOfOneCarriesTheWholeStream) {
  // 300 kbit/s of video are 336 in MPEG-TS, 128 of sound up to 188 (docs/decisions/0001).
  const auto limits = socket_limits(BitRate::kbps(300), kSound, {.pacing = 1});
  EXPECT_GE(limits.pacing, BitRate::kbps(336 + 188));
  EXPECT_LE(limits.pacing, BitRate::kbps(1.1 * (336 + 188)));
}

TEST(SocketLimitsTest, PacingOfOneCarries60SmallPicturesPerSecond) {
  constexpr auto kVideo = BitRate::kbps(100);
  const auto limits = socket_limits(kVideo, kSilent, {.pacing = 1});
  EXPECT_GE(limits.pacing, transport(kSilent, std::chrono::microseconds{16'667}).wire(kVideo));
}

TEST(SocketLimitsTest, PacingCountsNoSoundWhereThereIsNone) {
  const auto silent = socket_limits(BitRate::mbps(1), kSilent, {.pacing = 2}).pacing;
  EXPECT_LE(silent, BitRate::mbps(2.4));
  EXPECT_GE(socket_limits(BitRate::mbps(1), kSound, {.pacing = 2}).pacing,
            silent + 2 * kSound.rate);
}

TEST(SocketLimitsTest, NoPacingIsNoLimit) {
  EXPECT_EQ(socket_limits(BitRate::mbps(1), kSound, {.pacing = 0}).pacing, BitRate{});
}

TEST(SocketLimitsTest, TheMarkHoldsAPictureOfTheViewersRate) {
  EXPECT_EQ(
      socket_limits(BitRate::mbps(5), kSound, {.notsent_lowat = ByteCount{1024}}).notsent_lowat,
      ByteCount{25'000});
  EXPECT_EQ(
      socket_limits(BitRate::kbps(500), kSound, {.notsent_lowat = ByteCount{1024}}).notsent_lowat,
      ByteCount{2'500});
  EXPECT_EQ(
      socket_limits(BitRate::kbps(100), kSound, {.notsent_lowat = ByteCount{4096}}).notsent_lowat,
      ByteCount{4096});
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
