#include "tcpinfo/netlink/destroyed_sockets.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/system_error.h"
#include "local_port.h"
#include "loopback.h"
#include "tcpinfo/socket_control.h"

namespace tcpinfo {
namespace {

constexpr std::string_view kFrame = "frame";

DestroyedSockets listen_to(std::uint16_t port) {
  auto opened = DestroyedSockets::open({port});
  if (!opened) throw std::runtime_error{opened.error()};
  return std::move(*opened);
}

constexpr int kMaxWait = 30'000;  ///< ms; the kernel reports within about 0.1 ms if it is idle
constexpr int kQuiet = 100;       ///< ms in which a false report would arrive

/// The reports on the sockets with these cookies, once there are `count`, or after `wait` ms. Other
/// programs' connections may have the same port, to other peers.
std::vector<DiagSocket> reports_on(const std::vector<std::uint64_t>& cookies,
                                   DestroyedSockets& destroyed, std::size_t count, int wait) {
  std::vector<DiagSocket> sockets;
  pollfd ready{destroyed.fd(), POLLIN, 0};
  while (sockets.size() < count && ::poll(&ready, 1, wait) > 0) {
    destroyed.drain([&](const DiagSocket& socket) {
      if (std::ranges::find(cookies, socket.cookie) != cookies.end()) sockets.push_back(socket);
    });
  }
  return sockets;
}

DiagSocket report_on(std::uint64_t cookie, DestroyedSockets& destroyed) {
  const auto sockets = reports_on({cookie}, destroyed, 1, kMaxWait);
  EXPECT_EQ(sockets.size(), 1u);
  return sockets.empty() ? DiagSocket{} : sockets.front();
}

TEST(DestroyedSocketsTest, ReportsTheFinalStatisticsAfterClose) {
  Loopback connection;
  auto destroyed = listen_to(local_port(connection.sender()));
  const auto cookie = socket_cookie(connection.sender());
  connection.send(kFrame);
  connection.close_sender();
  connection.reset_by_receiver();
  EXPECT_EQ(report_on(cookie, destroyed).tcp_info.info.bytes_acked, kFrame.size());
}

TEST(DestroyedSocketsTest, ReportsTheFinalStatisticsAfterAReset) {
  Loopback connection;
  auto destroyed = listen_to(local_port(connection.sender()));
  const auto cookie = socket_cookie(connection.sender());
  connection.send(kFrame);
  connection.reset_by_receiver();
  EXPECT_TRUE(reports_on({cookie}, destroyed, 1, kQuiet).empty())
      << "the socket lives until it is closed";
  connection.close_sender();
  EXPECT_EQ(report_on(cookie, destroyed).tcp_info.info.bytes_acked, kFrame.size());
}

TEST(DestroyedSocketsTest, DoesNotReportOtherPorts) {
  Loopback connection;
  Loopback other;
  const auto cookie = socket_cookie(other.sender());
  auto destroyed = listen_to(local_port(connection.sender()));
  other.close_sender();
  other.reset_by_receiver();
  EXPECT_TRUE(reports_on({cookie}, destroyed, 1, kQuiet).empty());
  EXPECT_EQ(destroyed.lost(), 0u);
}

TEST(DestroyedSocketsTest, CountsLostMessages) {
  Loopback connections[8];
  std::vector<std::uint16_t> ports;
  std::vector<std::uint64_t> cookies;
  for (const auto& connection : connections) {
    ports.push_back(local_port(connection.sender()));
    cookies.push_back(socket_cookie(connection.sender()));
  }
  auto destroyed = DestroyedSockets::open(ports);
  auto witness = DestroyedSockets::open(ports);
  ASSERT_TRUE(destroyed && witness);
  const int size = 0;  // the kernel raises it to its minimum, which holds two messages
  base::check("SO_RCVBUF",
              ::setsockopt(destroyed->fd(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size));
  for (auto& connection : connections) {
    connection.close_sender();
    connection.reset_by_receiver();
  }
  const auto count = std::size(connections);
  ASSERT_EQ(reports_on(cookies, *witness, count, kMaxWait).size(), count);
  const auto heard = reports_on(cookies, *destroyed, count, kQuiet).size();
  EXPECT_LT(heard, count);
  EXPECT_GT(destroyed->lost(), 0u);
  EXPECT_GE(heard + destroyed->lost(), count);
}

}  // namespace
}  // namespace tcpinfo
