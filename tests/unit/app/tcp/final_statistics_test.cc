#include "app/tcp/final_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>

#include <stdexcept>
#include <vector>

#include "base/system_error.h"
#include "loopback.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr base::Time kNow{1000s};

tcpinfo::DestroyedSockets hear(const std::vector<std::uint16_t>& ports) {
  auto opened = tcpinfo::DestroyedSockets::open(ports);
  if (!opened) throw std::runtime_error{opened.error()};
  return std::move(*opened);
}

tcpinfo::TcpInfoReading acked(std::uint64_t bytes) {
  tcpinfo::TcpInfoReading reading{.length = sizeof(tcpinfo::TcpInfo)};
  reading.info.bytes_acked = bytes;
  return reading;
}

tcpinfo::DiagSocket destroyed(std::uint64_t cookie, std::uint64_t bytes) {
  tcpinfo::DiagSocket socket;
  socket.cookie = cookie;
  socket.tcp_info = acked(bytes);
  return socket;
}

class FinalStatisticsTest : public testing::Test {
 protected:
  FinalStatistics::Callback note() {
    return [this](const auto& report) { reports_.push_back(report); };
  }
  void leaves(std::uint64_t cookie, base::Time at = kNow) {
    statistics_.left(cookie, cookie + 100, "live", acked(50), at);
  }

  std::vector<FinalStatistics::Report> reports_;
  FinalStatistics statistics_{hear({}), note()};
};

TEST_F(FinalStatisticsTest, WhatTheKernelTellsIsReported) {
  leaves(1);
  EXPECT_TRUE(reports_.empty());
  statistics_.destroyed(destroyed(1, 70));
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].viewer, 101u);
  EXPECT_EQ(reports_[0].stream, "live");
  EXPECT_EQ(reports_[0].reading.info.bytes_acked, 70u);
  EXPECT_TRUE(reports_[0].told);
  EXPECT_EQ(statistics_.state().told, 1u);
}

TEST_F(FinalStatisticsTest, EveryoneIsReportedOnce) {
  leaves(1);
  statistics_.destroyed(destroyed(1, 70));
  statistics_.destroyed(destroyed(1, 70));
  statistics_.expire(base::Time::max());
  EXPECT_EQ(reports_.size(), 1u);
}

TEST_F(FinalStatisticsTest, OtherSocketsAreNobody) {
  leaves(1);
  statistics_.destroyed(destroyed(2, 70));
  EXPECT_TRUE(reports_.empty());
  EXPECT_EQ(statistics_.state().pending, 1u);
}

TEST_F(FinalStatisticsTest, ClearedCountersAreNotTheLast) {
  leaves(1);
  statistics_.destroyed(destroyed(1, 0));
  EXPECT_EQ(reports_.at(0).reading.info.bytes_acked, 50u);
  EXPECT_TRUE(reports_[0].told);
}

TEST_F(FinalStatisticsTest, WhoIsNotHeardOfIsReportedAsItLeft) {
  leaves(1);
  leaves(2, kNow + 1s);
  statistics_.expire(kNow + FinalStatistics::kPatience);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].viewer, 101u);
  EXPECT_EQ(reports_[0].reading.info.bytes_acked, 50u);
  EXPECT_FALSE(reports_[0].told);
  EXPECT_EQ(statistics_.state().untold, 1u);
  EXPECT_EQ(statistics_.state().pending, 1u);
}

TEST_F(FinalStatisticsTest, TooManyPushOutTheOldest) {
  for (std::uint64_t cookie = 0; cookie <= FinalStatistics::kMostPending; ++cookie) leaves(cookie);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].viewer, 100u);
  EXPECT_EQ(statistics_.state().pending, FinalStatistics::kMostPending);
}

TEST_F(FinalStatisticsTest, WithoutAKernelThatTellsNobodyIsWaitedFor) {
  FinalStatistics deaf{std::nullopt, note()};
  deaf.left(1, 101, "live", acked(50), kNow);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_FALSE(reports_[0].told);
  EXPECT_EQ(deaf.loop_source(), nullptr);
}

TEST_F(FinalStatisticsTest, HearsOfARealSocketThroughItsLoopSource) {
  tcpinfo::Loopback connection;
  sockaddr_in address{};
  socklen_t length = sizeof address;
  base::check("getsockname",
              ::getsockname(connection.sender(), reinterpret_cast<sockaddr*>(&address), &length));
  FinalStatistics statistics{hear({ntohs(address.sin_port)}), note()};
  const auto source = statistics.loop_source();
  connection.send("frame");
  statistics.left(tcpinfo::socket_cookie(connection.sender()), 7, "live",
                  *tcpinfo::read_tcp_info(connection.sender()), kNow);
  connection.close_sender();
  connection.reset_by_receiver();
  // Another program's connection may have the same port, to another peer, and end first.
  for (int tries = 0; tries < 30 && reports_.empty(); ++tries) {
    pollfd ready{source->fd(), POLLIN, 0};
    ::poll(&ready, 1, 100);
    source->on_readable(kNow);
  }
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_TRUE(reports_[0].told);
  EXPECT_EQ(reports_[0].reading.info.bytes_acked, 5u);
}

}  // namespace
}  // namespace app
