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

tcpinfo::DestroyedSockets subscribe(const std::vector<std::uint16_t>& ports) {
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
    statistics_.viewer_left(cookie, cookie + 100, "live", server::Address{}, acked(50), at);
  }

  std::vector<FinalStatistics::Report> reports_;
  FinalStatistics statistics_{subscribe({}), note()};
};

TEST_F(FinalStatisticsTest, ReportsTheStatisticsFromTheKernel) {
  leaves(1);
  EXPECT_TRUE(reports_.empty());
  statistics_.socket_destroyed(destroyed(1, 70));
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].viewer, 101u);
  EXPECT_EQ(reports_[0].stream, "live");
  EXPECT_EQ(reports_[0].reading.info.bytes_acked, 70u);
  EXPECT_TRUE(reports_[0].is_final);
  EXPECT_EQ(statistics_.state().final_reports, 1u);
}

TEST_F(FinalStatisticsTest, ReportsEveryViewerOnce) {
  leaves(1);
  statistics_.socket_destroyed(destroyed(1, 70));
  statistics_.socket_destroyed(destroyed(1, 70));
  statistics_.expire(base::Time::max());
  EXPECT_EQ(reports_.size(), 1u);
}

TEST_F(FinalStatisticsTest, IgnoresOtherSockets) {
  leaves(1);
  statistics_.socket_destroyed(destroyed(2, 70));
  EXPECT_TRUE(reports_.empty());
  EXPECT_EQ(statistics_.state().pending, 1u);
}

TEST_F(FinalStatisticsTest, KeepsTheLastSeenStatisticsIfTheKernelClearedItsCounters) {
  leaves(1);
  statistics_.socket_destroyed(destroyed(1, 0));
  EXPECT_EQ(reports_.at(0).reading.info.bytes_acked, 50u);
  EXPECT_TRUE(reports_[0].is_final);
}

TEST_F(FinalStatisticsTest, ReportsTheLastSeenStatisticsAfterTheWait) {
  leaves(1);
  leaves(2, kNow + 1s);
  statistics_.expire(kNow + FinalStatistics::kMaxEndWait);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].viewer, 101u);
  EXPECT_EQ(reports_[0].reading.info.bytes_acked, 50u);
  EXPECT_FALSE(reports_[0].is_final);
  EXPECT_EQ(statistics_.state().last_seen_reports, 1u);
  EXPECT_EQ(statistics_.state().pending, 1u);
}

TEST_F(FinalStatisticsTest, ReportsTheOldestWhenTooManyArePending) {
  for (std::uint64_t cookie = 0; cookie <= FinalStatistics::kMaxPendingReports; ++cookie) {
    leaves(cookie);
  }
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_EQ(reports_[0].viewer, 100u);
  EXPECT_EQ(statistics_.state().pending, FinalStatistics::kMaxPendingReports);
}

TEST_F(FinalStatisticsTest, ReportsAtOnceWithoutTheKernel) {
  FinalStatistics without_kernel{std::nullopt, note()};
  without_kernel.viewer_left(1, 101, "live", server::Address{}, acked(50), kNow);
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_FALSE(reports_[0].is_final);
  EXPECT_EQ(without_kernel.loop_source(), nullptr);
}

TEST_F(FinalStatisticsTest, ReportsARealSocketThroughItsLoopSource) {
  tcpinfo::Loopback connection;
  sockaddr_in address{};
  socklen_t length = sizeof address;
  base::check("getsockname",
              ::getsockname(connection.sender(), reinterpret_cast<sockaddr*>(&address), &length));
  FinalStatistics statistics{subscribe({ntohs(address.sin_port)}), note()};
  const auto source = statistics.loop_source();
  connection.send("frame");
  statistics.viewer_left(tcpinfo::socket_cookie(connection.sender()), 7, "live", server::Address{},
                         *tcpinfo::read_tcp_info(connection.sender()), kNow);
  connection.close_sender();
  connection.reset_by_receiver();
  // Another program's connection may have the same port, to another peer, and end first.
  for (int tries = 0; tries < 300 && reports_.empty(); ++tries) {
    pollfd ready{source->fd(), POLLIN, 0};
    ::poll(&ready, 1, 100);
    source->on_readable(kNow);
  }
  ASSERT_EQ(reports_.size(), 1u);
  EXPECT_TRUE(reports_[0].is_final);
  EXPECT_EQ(reports_[0].reading.info.bytes_acked, 5u);
}

}  // namespace
}  // namespace app
