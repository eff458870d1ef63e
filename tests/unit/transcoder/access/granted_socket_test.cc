#include "transcoder/access/granted_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cerrno>

#include "sockets.h"

namespace transcoder::access {
namespace {

TEST(CallAddressTest, IsAnAddressOfTheInternet) {
  const auto v4 = call_address(bytes("192.0.2.1:80"));
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->endpoint.text(), "192.0.2.1:80");
  EXPECT_EQ(v4->size, sizeof(sockaddr_in));
  const auto v6 = call_address(bytes("[2001:db8::1]:443"));
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->endpoint.text(), "[2001:db8::1]:443");
  EXPECT_EQ(v6->size, sizeof(sockaddr_in6));
}

TEST(CallAddressTest, RefusesOthers) {
  auto cut = bytes("192.0.2.1:80");
  cut.pop_back();
  EXPECT_FALSE(call_address(cut));
  const sa_family_t families[]{AF_UNSPEC, AF_UNIX, AF_NETLINK, 0xffff};
  for (const auto family : families) {
    std::vector<std::uint8_t> other(128);
    std::memcpy(other.data(), &family, sizeof family);
    EXPECT_FALSE(call_address(other)) << family;
  }
  EXPECT_FALSE(call_address(std::vector<std::uint8_t>{AF_INET, 0}));
}

TEST(GrantedSocketTest, IsForTheInternet) {
  EXPECT_EQ(GrantedSocket::of(make_socket(SOCK_STREAM))->transport(), Transport::kTcp);
  EXPECT_EQ(GrantedSocket::of(make_socket(SOCK_DGRAM))->transport(), Transport::kUdp);
  EXPECT_FALSE(GrantedSocket::of({}));
  EXPECT_FALSE(GrantedSocket::of(base::UniqueFd{::socket(AF_UNIX, SOCK_STREAM, 0)}));
  EXPECT_FALSE(GrantedSocket::of(base::UniqueFd{::socket(AF_NETLINK, SOCK_RAW, 0)}));
  EXPECT_FALSE(GrantedSocket::of(base::UniqueFd{::open("/dev/null", O_RDWR | O_CLOEXEC)}));
}

TEST(GrantedSocketTest, NeverWaitsForAConnection) {
  const Listener listener{SOCK_STREAM};
  const auto socket = GrantedSocket::of(make_socket(SOCK_STREAM));
  const int result = socket->connect(*call_address(bytes(listener.endpoint)));
  EXPECT_TRUE(result == 0 || result == -EINPROGRESS) << result;
  EXPECT_NE(::fcntl(socket->fd(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(GrantedSocketTest, SendsADatagram) {
  const Listener listener{SOCK_DGRAM};
  const auto socket = GrantedSocket::of(make_socket(SOCK_DGRAM));
  const std::uint8_t datagram[]{1, 2, 3};
  EXPECT_EQ(socket->send(datagram, *call_address(bytes(listener.endpoint))), 3);
  char received[8];
  EXPECT_EQ(::recv(listener.fd.get(), received, sizeof received, 0), 3);
}

}  // namespace
}  // namespace transcoder::access
