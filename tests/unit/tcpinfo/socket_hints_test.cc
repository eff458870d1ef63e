#include "tcpinfo/socket_hints.h"

#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "loopback.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace tcpinfo {
namespace {

/// Without our congestion controls, as on hosts without eBPF.
class SocketHintsTest : public testing::Test {
 protected:
  TcpInfo info() const { return read_tcp_info(connection_.sender())->info; }

  /// The bandwidth that BBR has measured, in its own unit; 0 before it has.
  std::uint32_t bbr_bandwidth() const {
    ::tcp_cc_info state{};
    socklen_t size = sizeof state;
    EXPECT_EQ(::getsockopt(connection_.sender(), IPPROTO_TCP, TCP_CC_INFO, &state, &size), 0);
    return state.bbr.bbr_bw_lo;
  }

  const SocketHints hints_;
  Loopback connection_;
};

TEST_F(SocketHintsTest, LimitsThePaceInsteadOfSsthresh) {
  const auto applied = hints_.apply(
      connection_.sender(), {.congestion_control = "reno", .video_rate = base::BitRate::mbps(4)});
  EXPECT_EQ(applied.congestion_control, "reno");
  EXPECT_EQ(applied.ssthresh, std::nullopt);
  EXPECT_TRUE(applied.paced_instead);
  EXPECT_EQ(applied.error, "");
  EXPECT_EQ(info().max_pacing_rate, 1'000'000u);
}

TEST_F(SocketHintsTest, DoesNotPaceBbr) {
  const auto applied = hints_.apply(
      connection_.sender(), {.congestion_control = "bbr", .video_rate = base::BitRate::mbps(4)});
  if (applied.congestion_control != "bbr") GTEST_SKIP() << applied.error;
  EXPECT_FALSE(applied.paced_instead);
}

TEST_F(SocketHintsTest, DoesNotReportHintsThatWereNotGiven) {
  if (!set_congestion_control(connection_.sender(), "bbr")) GTEST_SKIP() << "no bbr here";
  connection_.send("x");
  const auto applied = hints_.apply(connection_.sender(), {.congestion_control = "reno"});
  EXPECT_EQ(applied.congestion_control, "reno");
  EXPECT_EQ(applied.error, "");
}

TEST_F(SocketHintsTest, StartsBbrAgain) {
  if (!set_congestion_control(connection_.sender(), "bbr")) GTEST_SKIP() << "no bbr here";
  connection_.send("x");
  ASSERT_GT(bbr_bandwidth(), 0u);
  const auto applied = hints_.restart(connection_.sender());
  EXPECT_EQ(applied.error, "");
  EXPECT_EQ(applied.congestion_control, "bbr");
  EXPECT_EQ(bbr_bandwidth(), 0u);
}

TEST_F(SocketHintsTest, CannotStartABadDescriptorAgain) { EXPECT_NE(hints_.restart(-1).error, ""); }

TEST_F(SocketHintsTest, RefusesAWindow) {
  EXPECT_NE(hints_.apply(connection_.sender(), {.cwnd = 20}).error, "");
}

TEST_F(SocketHintsTest, RefusesOurCongestionControls) {
  const auto applied = hints_.apply(connection_.sender(), {.congestion_control = "sym_libra"});
  EXPECT_NE(applied.error.find("reno"), std::string::npos) << applied.error;
  EXPECT_NE(applied.congestion_control, "sym_libra");
}

TEST_F(SocketHintsTest, RefusesABadDescriptor) {
  EXPECT_NE(hints_.apply(-1, {.congestion_control = "reno"}).error, "");
}

}  // namespace
}  // namespace tcpinfo
