#include "app/tcp/socket_steering.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "loopback.h"
#include "tcpinfo/socket_control.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using base::BitRate;
using Hint = SocketSteering::SsthreshHint;

constexpr transcoder::AudioSettings kNoAudio{.enabled = false};
constexpr BitRate kVideo = BitRate::mbps(2);
constexpr double kPacing = 1.2;

/// Steers a loopback socket without eBPF, like a server without capabilities.
class SocketSteeringTest : public testing::Test {
 protected:
  SocketSteering steering(const std::string& congestion_control) {
    return {hints_, warnings_, tcp_, kNoAudio, congestion_control};
  }

  /// Paced by the configuration, at kVideo.
  SocketSteering paced() {
    tcp_.pacing = kPacing;
    auto reno = steering("reno");
    reno.begin(fd(), kVideo, 60ms, now_);
    return reno;
  }
  static BitRate pace_of(BitRate video) {
    return as_stored(kPacing * transport_rate(video, kNoAudio));
  }

  /// Zero if there is no limit.
  BitRate pace() {
    std::uint64_t bytes_per_second = 0;
    socklen_t length = sizeof bytes_per_second;
    ::getsockopt(fd(), SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_second, &length);
    return bytes_per_second == ~0ull ? BitRate{}
                                     : BitRate{static_cast<std::int64_t>(bytes_per_second) * 8};
  }
  /// Zero if this kernel does not have the option.
  int tcp_option(int option) {
    int value = 0;
    socklen_t length = sizeof value;
    ::getsockopt(fd(), IPPROTO_TCP, option, &value, &length);
    return value;
  }
  // TCP_RTO_MIN_US and TCP_RTO_MAX_MS of linux/tcp.h; glibc's header is older.
  std::chrono::microseconds rto_min() { return std::chrono::microseconds{tcp_option(45)}; }
  std::chrono::milliseconds rto_max() { return std::chrono::milliseconds{tcp_option(44)}; }
  int notsent_lowat() { return tcp_option(TCP_NOTSENT_LOWAT); }
  /// The kernel stores whole bytes per second.
  static BitRate as_stored(BitRate rate) { return BitRate{rate.bps() / 8 * 8}; }
  int fd() const { return connection_.sender(); }

  tcpinfo::Loopback connection_;
  tcpinfo::SocketHints hints_;
  SocketWarnings warnings_;
  TcpSettings tcp_;
  const base::Time now_{1h};
};

TEST_F(SocketSteeringTest, LimitsPacingIfSsthreshCannotBeSet) {
  connection_.send("x");  // the kernel knows the round-trip time from here on
  auto reno = steering("reno");
  const auto applied = reno.begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(applied.congestion_control, "reno");
  EXPECT_EQ(reno.ssthresh_hint(), Hint::kPaced);
  EXPECT_EQ(pace(), as_stored(2 * transport_rate(kVideo, kNoAudio)));
}

TEST_F(SocketSteeringTest, PacingFollowsTheRateUpwards) {
  connection_.send("x");
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  reno.follow_rate(fd(), BitRate::mbps(8), now_);
  EXPECT_EQ(pace(), as_stored(2 * transport_rate(BitRate::mbps(8), kNoAudio)));
}

TEST_F(SocketSteeringTest, PacingFallsAfterTheQueuedFramesHaveLeft) {
  auto reno = paced();
  reno.follow_rate(fd(), 0.1 * kVideo, now_ + 500ms);
  EXPECT_EQ(pace(), pace_of(kVideo));
  reno.follow_rate(fd(), 0.1 * kVideo, now_ + 1100ms);
  reno.follow_rate(fd(), 0.2 * kVideo, now_ + 2200ms);
  EXPECT_EQ(pace(), pace_of(0.2 * kVideo));
  reno.follow_rate(fd(), 0.3 * kVideo, now_ + 2300ms);
  EXPECT_EQ(pace(), pace_of(0.3 * kVideo));
}

TEST_F(SocketSteeringTest, PacingCoversRatesInBetween) {
  auto reno = paced();
  reno.follow_rate(fd(), 0.8 * kVideo, now_ + 990ms);
  reno.follow_rate(fd(), 0.1 * kVideo, now_ + 1010ms);
  EXPECT_GE(pace(), pace_of(0.8 * kVideo));
}

TEST_F(SocketSteeringTest, PacingFallsAtOnceAfterAPause) {
  paced().follow_rate(fd(), 0.1 * kVideo, now_ + 5s);
  EXPECT_EQ(pace(), pace_of(0.1 * kVideo));
}

TEST_F(SocketSteeringTest, AWriteOfACalmViewerFitsBelowTheUnsentLimit) {
  tcp_.notsent_lowat = {};
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  const auto before = notsent_lowat();
  reno.follow_calm(fd(), true);
  EXPECT_EQ(notsent_lowat(), 4 * before);
  reno.follow_calm(fd(), false);
  EXPECT_EQ(notsent_lowat(), before);
}

TEST_F(SocketSteeringTest, TheUnsentLimitFallsAtOnce) {
  tcp_.notsent_lowat = {};
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  reno.follow_rate(fd(), kVideo, now_);
  const auto before = notsent_lowat();
  reno.follow_rate(fd(), 0.1 * kVideo, now_);
  EXPECT_LT(notsent_lowat(), before / 9);
}

TEST_F(SocketSteeringTest, PacingIsUnlimitedAfterTheStart) {
  connection_.send("x");
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  reno.on_sample(fd(), {}, std::chrono::seconds{4});
  EXPECT_NE(pace(), BitRate{});
  reno.on_sample(fd(), {.ssthresh = 20}, std::chrono::seconds{4});
  EXPECT_GT(pace(), BitRate::mbps(1e6));
  EXPECT_TRUE(reno.paces()) << "TCP keeps pacing on its own";
}

TEST_F(SocketSteeringTest, ConfiguredPacingTakesPrecedence) {
  connection_.send("x");
  tcp_.pacing = 4;
  steering("reno").begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(pace(), as_stored(4 * transport_rate(kVideo, kNoAudio)));
}

TEST_F(SocketSteeringTest, GivesNoHintToACongestionControlThatIgnoresIt) {
  auto bbr = steering("bbr");
  if (bbr.begin(fd(), kVideo, 60ms, now_).congestion_control != "bbr")
    GTEST_SKIP() << "no bbr here";
  EXPECT_EQ(bbr.ssthresh_hint(), Hint::kNone);
  EXPECT_EQ(pace(), BitRate{});
}

TEST_F(SocketSteeringTest, LimitsNothingIfTheHintIsTurnedOff) {
  tcp_.ssthresh_hint = 0;
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(reno.ssthresh_hint(), Hint::kNone);
  EXPECT_EQ(pace(), BitRate{});
}

TEST_F(SocketSteeringTest, ADecisionSetsThePacing) {
  tcp_.ssthresh_hint = 0;
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  EXPECT_FALSE(reno.paces());
  reno.follow_decision(fd(), BitRate::mbps(10), 0);
  EXPECT_EQ(pace(), BitRate::mbps(10));
  EXPECT_TRUE(reno.paces());
  reno.follow_decision(fd(), BitRate::mbps(10.2), 0);
  EXPECT_EQ(pace(), BitRate::mbps(10));  // too small a change
  reno.follow_decision(fd(), BitRate::mbps(20), 0);
  EXPECT_EQ(pace(), BitRate::mbps(20));
  reno.follow_decision(fd(), {}, 0);
  EXPECT_GT(pace(), BitRate::mbps(1e6)) << "no limit";
  EXPECT_TRUE(reno.paces()) << "at TCP's own rate";
}

TEST_F(SocketSteeringTest, NoDecisionChangesConfiguredPacing) {
  tcp_.pacing = 4;
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  EXPECT_TRUE(reno.paces());
  reno.follow_decision(fd(), BitRate::mbps(100), 0);
  EXPECT_EQ(pace(), as_stored(4 * transport_rate(kVideo, kNoAudio)));
}

TEST_F(SocketSteeringTest, OnlyBbrIgnoresSsthresh) {
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  EXPECT_FALSE(reno.bbr());
  auto bbr = steering("bbr");
  if (bbr.begin(fd(), kVideo, 60ms, now_).congestion_control != "bbr")
    GTEST_SKIP() << "no bbr here";
  EXPECT_TRUE(bbr.bbr());
  EXPECT_TRUE(bbr.paces());
}

TEST_F(SocketSteeringTest, ChangesTheCongestionControl) {
  auto changing = steering("bbr");
  if (changing.begin(fd(), kVideo, 60ms, now_).congestion_control != "bbr")
    GTEST_SKIP() << "no bbr here";
  EXPECT_TRUE(changing.change(fd(), abr::CongestionControl::kCubic));
  EXPECT_EQ(tcpinfo::congestion_control(fd()), "cubic");
  EXPECT_FALSE(changing.bbr());
  EXPECT_TRUE(changing.paces()) << "the kernel goes on pacing";
  EXPECT_TRUE(changing.change(fd(), abr::CongestionControl::kBbr));
  EXPECT_EQ(tcpinfo::congestion_control(fd()), "bbr");
  EXPECT_TRUE(changing.bbr());
  EXPECT_TRUE(warnings_.counts().empty());
}

TEST_F(SocketSteeringTest, SetsTheMinimumRetransmissionTimeout) {
  if (rto_min() == 0us) GTEST_SKIP() << "Linux before 6.15";
  tcp_.rto_min = 40ms;
  steering("reno").begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(rto_min(), 40ms);
}

TEST_F(SocketSteeringTest, KeepsTheKernelsMinimumRetransmissionTimeoutIfNoneIsConfigured) {
  const auto before = rto_min();
  tcp_.rto_min = {};
  steering("reno").begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(rto_min(), before);
}

TEST_F(SocketSteeringTest, LimitsTheRetransmissionTimeoutToASecond) {
  if (rto_max() == 0ms) GTEST_SKIP() << "Linux before 6.15";
  steering("reno").begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(rto_max(), 1s);
}

TEST_F(SocketSteeringTest, TheMaximumRetransmissionTimeoutFollowsALongRoundTrip) {
  if (rto_max() == 0ms) GTEST_SKIP() << "Linux before 6.15";
  auto reno = steering("reno");
  reno.begin(fd(), kVideo, 60ms, now_);
  reno.on_sample(fd(), {.rtt = 1200ms}, 1s);
  EXPECT_GT(rto_max(), 2 * 1200ms);
}

TEST_F(SocketSteeringTest, KeepsTheKernelsMaximumRetransmissionTimeoutIfConfiguredSo) {
  const auto before = rto_max();
  tcp_.rto_max = kKernelsRtoMax;
  steering("reno").begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(rto_max(), before);
}

TEST_F(SocketSteeringTest, CountsRefusedOptions) {
  tcp_.rto_min = 1us;
  steering("reno").begin(fd(), kVideo, 60ms, now_);
  EXPECT_EQ(warnings_.counts().at("TCP_RTO_MIN_US"), 1u);
}

TEST_F(SocketSteeringTest, KeepsTheKernelsCongestionControlIfTheNamedOneIsUnknown) {
  const auto applied = steering("no-such-control").begin(fd(), kVideo, 60ms, now_);
  EXPECT_NE(applied.error.find("is not available on this host"), std::string::npos)
      << applied.error;
  EXPECT_FALSE(applied.congestion_control.empty());
}

}  // namespace
}  // namespace app
