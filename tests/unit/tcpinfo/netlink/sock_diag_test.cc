#include "tcpinfo/netlink/sock_diag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>

#include "base/system_error.h"
#include "base/unique_fd.h"
#include "local_port.h"
#include "loopback.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace tcpinfo {
namespace {

std::vector<DiagSocket> dump(const DiagQuery& query) {
  auto diag = SockDiag::open();
  EXPECT_TRUE(diag) << diag.error();
  auto sockets = diag->dump(query);
  EXPECT_TRUE(sockets) << sockets.error();
  return std::move(*sockets);
}

/// The bytes of `info` without the fields that count elapsed time.
std::string bytes_of(TcpInfo info) {
  info.last_data_sent = info.last_ack_sent = info.last_data_recv = info.last_ack_recv = 0;
  return {reinterpret_cast<const char*>(&info), sizeof info};
}

TEST(SockDiagTest, AgreesWithGetsockopt) {
  Loopback connection;
  connection.send("frame");
  while (read_tcp_info(connection.sender())->info.bytes_acked < 5) ::usleep(1000);
  auto sockets = dump({.local_ports = {local_port(connection.sender())}});
  const auto reading = read_tcp_info(connection.sender());
  // Other programs' connections may have the same port, to other peers.
  std::erase_if(sockets, [&](const DiagSocket& socket) {
    return socket.cookie != socket_cookie(connection.sender());
  });
  ASSERT_EQ(sockets.size(), 1u);
  EXPECT_EQ(sockets[0].state, TcpState::kEstablished);
  EXPECT_EQ(sockets[0].congestion_control, congestion_control(connection.sender()));
  EXPECT_EQ(sockets[0].tcp_info.length, reading->length);
  EXPECT_EQ(bytes_of(sockets[0].tcp_info.info), bytes_of(reading->info));
  EXPECT_EQ(sockets[0].tcp_info.info.bytes_acked, 5u);
}

TEST(SockDiagTest, FiltersByLocalPort) {
  Loopback connection;
  std::vector<std::uint64_t> found;
  // connect() may choose a port that other sockets use towards other peers.
  for (const auto& socket : dump({.local_ports = {local_port(connection.receiver())}})) {
    found.push_back(socket.cookie);
  }
  EXPECT_THAT(found, testing::Contains(socket_cookie(connection.receiver())).Times(1));
  EXPECT_THAT(found, testing::Not(testing::Contains(socket_cookie(connection.sender()))));
}

TEST(SockDiagTest, FindsEachOfSeveralPorts) {
  Loopback connections[3];
  DiagQuery query;
  std::vector<std::uint64_t> expected;
  for (const auto& connection : connections) {
    query.local_ports.push_back(local_port(connection.sender()));
    expected.push_back(socket_cookie(connection.sender()));
  }
  std::vector<std::uint64_t> found;
  for (const auto& socket : dump(query)) found.push_back(socket.cookie);
  EXPECT_THAT(found, testing::IsSupersetOf(expected));
}

TEST(SockDiagTest, ListsAllSocketsWithoutPorts) {
  Loopback connection;
  EXPECT_GE(dump({}).size(), 2u);
}

TEST(SockDiagTest, ListsIpv6Listeners) {
  const base::UniqueFd listener{base::check("socket", ::socket(AF_INET6, SOCK_STREAM, 0))};
  base::check("listen", ::listen(listener.get(), 1));  // binds to a free port
  sockaddr_in6 address{};
  socklen_t length = sizeof address;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &length);
  const auto sockets =
      dump({.states = {TcpState::kListen}, .local_ports = {ntohs(address.sin6_port)}});
  ASSERT_EQ(sockets.size(), 1u);
  EXPECT_EQ(sockets[0].state, TcpState::kListen);
  EXPECT_EQ(sockets[0].local.ss_family, AF_INET6);
}

}  // namespace
}  // namespace tcpinfo
