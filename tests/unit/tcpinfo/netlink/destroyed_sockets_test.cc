#include "tcpinfo/netlink/destroyed_sockets.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

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

/// Collects sockets until none arrives for 200 ms; the kernel reports within about 0.1 ms.
std::vector<DiagSocket> wait_for(DestroyedSockets& destroyed) {
  std::vector<DiagSocket> sockets;
  pollfd ready{destroyed.fd(), POLLIN, 0};
  while (::poll(&ready, 1, 200) > 0) {
    destroyed.drain([&](const DiagSocket& socket) { sockets.push_back(socket); });
  }
  return sockets;
}

TEST(DestroyedSocketsTest, ReportsTheFinalStatisticsAfterClose) {
  Loopback connection;
  auto destroyed = listen_to(local_port(connection.sender()));
  const auto expected = socket_cookie(connection.sender());
  connection.send(kFrame);
  connection.close_sender();
  connection.reset_by_receiver();
  const auto sockets = wait_for(destroyed);
  ASSERT_EQ(sockets.size(), 1u);
  EXPECT_EQ(sockets[0].cookie, expected);
  EXPECT_EQ(sockets[0].tcp_info.info.bytes_acked, kFrame.size());
}

TEST(DestroyedSocketsTest, ReportsTheFinalStatisticsAfterAReset) {
  Loopback connection;
  auto destroyed = listen_to(local_port(connection.sender()));
  const auto expected = socket_cookie(connection.sender());
  connection.send(kFrame);
  connection.reset_by_receiver();
  EXPECT_TRUE(wait_for(destroyed).empty()) << "the socket lives until it is closed";
  connection.close_sender();
  const auto sockets = wait_for(destroyed);
  ASSERT_EQ(sockets.size(), 1u);
  EXPECT_EQ(sockets[0].cookie, expected);
  EXPECT_EQ(sockets[0].tcp_info.info.bytes_acked, kFrame.size());
}

TEST(DestroyedSocketsTest, DoesNotReportOtherPorts) {
  Loopback connection;
  Loopback other;
  auto destroyed = listen_to(local_port(connection.sender()));
  other.close_sender();
  other.reset_by_receiver();
  EXPECT_TRUE(wait_for(destroyed).empty());
  EXPECT_EQ(destroyed.lost(), 0u);
}

TEST(DestroyedSocketsTest, CountsLostMessages) {
  Loopback connections[8];
  std::vector<std::uint16_t> ports;
  for (const auto& connection : connections) ports.push_back(local_port(connection.sender()));
  auto destroyed = DestroyedSockets::open(ports);
  ASSERT_TRUE(destroyed);
  const int size = 0;  // the kernel raises it to its minimum, which holds two messages
  base::check("SO_RCVBUF",
              ::setsockopt(destroyed->fd(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size));
  for (auto& connection : connections) {
    connection.close_sender();
    connection.reset_by_receiver();
  }
  ::usleep(100'000);
  const auto heard = wait_for(*destroyed).size();
  EXPECT_GT(destroyed->lost(), 0u);
  EXPECT_EQ(heard + destroyed->lost(), std::size(connections));
}

}  // namespace
}  // namespace tcpinfo
