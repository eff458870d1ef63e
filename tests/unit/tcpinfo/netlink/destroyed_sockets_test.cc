#include "tcpinfo/netlink/destroyed_sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/system_error.h"
#include "base/unique_fd.h"
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

/// Sends a message of `size` bytes on a socket with this local port, as the kernel would. Returns
/// whether it may.
bool report(const DestroyedSockets& to, std::uint16_t port, std::size_t size) {
  sockaddr_nl address{};
  socklen_t length = sizeof address;
  base::check("getsockname",
              ::getsockname(to.fd(), reinterpret_cast<sockaddr*>(&address), &length));
  address.nl_groups = 0;
  std::vector<std::byte> message(size);
  const nlmsghdr header{.nlmsg_len = static_cast<std::uint32_t>(size)};
  inet_diag_msg socket{.idiag_family = AF_INET};
  socket.id.idiag_sport = htons(port);
  std::memcpy(message.data(), &header, sizeof header);
  std::memcpy(message.data() + sizeof header, &socket, sizeof socket);
  // One attribute, of which nobody knows the type.
  const nlattr rest{.nla_len = static_cast<std::uint16_t>(size - sizeof header - sizeof socket),
                    .nla_type = 999};
  std::memcpy(message.data() + sizeof header + sizeof socket, &rest, sizeof rest);
  const base::UniqueFd sender{
      base::check("socket", ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG))};
  return ::sendto(sender.get(), message.data(), message.size(), 0,
                  reinterpret_cast<const sockaddr*>(&address), sizeof address) >= 0;
}

TEST(DestroyedSocketsTest, CountsAMessageThatIsTooLong) {
  constexpr std::uint16_t kPort = 1;
  auto destroyed = listen_to(kPort);
  if (!report(destroyed, kPort, 4096)) GTEST_SKIP() << "needs CAP_NET_ADMIN";
  ASSERT_TRUE(report(destroyed, kPort, 4100));
  int heard = 0;
  destroyed.drain([&](const DiagSocket&) { ++heard; });
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(destroyed.lost(), 1u);
}

}  // namespace
}  // namespace tcpinfo
