#include "tcpinfo/socket_hints.h"

#include <gtest/gtest.h>

#include "loopback.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace tcpinfo {
namespace {

/// Without our congestion controls, as where there is no eBPF.
class SocketHintsTest : public testing::Test {
 protected:
  TcpInfo info() const { return read_tcp_info(connection_.sender())->info; }

  const SocketHints hints_;
  Loopback connection_;
};

TEST_F(SocketHintsTest, ThePaceIsLimitedInPlaceOfSsthresh) {
  const auto applied = hints_.apply(
      connection_.sender(), {.congestion_control = "reno", .video_rate = base::BitRate::mbps(4)});
  EXPECT_EQ(applied.congestion_control, "reno");
  EXPECT_EQ(applied.ssthresh, std::nullopt);
  EXPECT_TRUE(applied.paced_instead);
  EXPECT_EQ(applied.error, "");
  EXPECT_EQ(info().max_pacing_rate, 1'000'000u);
}

TEST_F(SocketHintsTest, WhatNeedsNoSsthreshIsNotPaced) {
  const auto applied = hints_.apply(
      connection_.sender(), {.congestion_control = "bbr", .video_rate = base::BitRate::mbps(4)});
  if (applied.congestion_control != "bbr") GTEST_SKIP() << applied.error;
  EXPECT_FALSE(applied.paced_instead);
}

TEST_F(SocketHintsTest, WhatIsNotAskedForIsNotRefused) {
  if (!set_congestion_control(connection_.sender(), "bbr")) GTEST_SKIP() << "no bbr here";
  connection_.send("x");
  const auto applied = hints_.apply(connection_.sender(), {.congestion_control = "reno"});
  EXPECT_EQ(applied.congestion_control, "reno");
  EXPECT_EQ(applied.error, "");
}

TEST_F(SocketHintsTest, AWindowIsRefused) {
  EXPECT_NE(hints_.apply(connection_.sender(), {.cwnd = 20}).error, "");
}

TEST_F(SocketHintsTest, ThereIsNoneOfOurs) {
  const auto applied = hints_.apply(connection_.sender(), {.congestion_control = "sym_libra"});
  EXPECT_NE(applied.error.find("reno"), std::string::npos) << applied.error;
  EXPECT_NE(applied.congestion_control, "sym_libra");
}

TEST_F(SocketHintsTest, WhatIsNoConnectionIsRefused) {
  EXPECT_NE(hints_.apply(-1, {.congestion_control = "reno"}).error, "");
}

}  // namespace
}  // namespace tcpinfo
