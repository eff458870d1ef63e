#include "tcpinfo/netlink/diag_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "recorded_messages.h"

namespace tcpinfo {
namespace {

constexpr std::uint64_t kCookie = 0x56ce;

std::string text(const sockaddr_storage& address) {
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  char host[INET6_ADDRSTRLEN] = "";
  inet_ntop(AF_INET6, &v6.sin6_addr, host, sizeof host);
  return std::string{host} + " " + std::to_string(ntohs(v6.sin6_port));
}

TEST(DiagSocketTest, ReadsADumpedSocket) {
  const auto socket = parse_diag_socket(message(kDumped));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->cookie, kCookie);
  EXPECT_EQ(socket->state, TcpState::kEstablished);
  EXPECT_EQ(text(socket->local), "::ffff:127.0.0.1 48080");
  EXPECT_EQ(text(socket->peer), "::ffff:127.0.0.1 47970");
  EXPECT_EQ(socket->congestion_control, "bbr");
  EXPECT_EQ(socket->bbr_bandwidth, base::BitRate{21'827'665'365 * 8});
}

TEST(DiagSocketTest, ReadsTcpInfoLikeGetsockopt) {
  const auto reading = parse_diag_socket(message(kDumped))->tcp_info;
  EXPECT_EQ(reading.length, sizeof(TcpInfo));
  EXPECT_EQ(reading.info.snd_cwnd, 18u);
  EXPECT_EQ(reading.info.bytes_acked, 400'000u);
  EXPECT_EQ(reading.info.bytes_received, 50u);
  EXPECT_EQ(reading.info.min_rtt, 3u);
  EXPECT_TRUE(reading.has_total_rto());
}

TEST(DiagSocketTest, ReadsADestroyedSocket) {
  const auto socket = parse_diag_socket(message(kDestroyed));
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->cookie, kCookie);
  EXPECT_EQ(socket->state, TcpState::kClose);
  EXPECT_EQ(socket->tcp_info.info.bytes_acked, 400'000u);
  EXPECT_EQ(socket->congestion_control, "");
}

TEST(DiagSocketTest, TcpInfoOfLinux61IsShorter) {
  const auto socket = parse_diag_socket(message(kDumpedBy61));
  EXPECT_EQ(socket->tcp_info.length, kLinux61TcpInfoBytes);
  EXPECT_FALSE(socket->tcp_info.has_total_rto());
  EXPECT_EQ(socket->tcp_info.info.bytes_acked, 400'000u);
  EXPECT_EQ(socket->congestion_control, "cubic");
}

TEST(DiagSocketTest, LongerTcpInfoOfALaterKernelIsTruncated) {
  auto bytes = message(kDumped);
  bytes[kInfoOffset + 1] = std::byte{2};  // claims 256 bytes more, which are still missing
  EXPECT_EQ(parse_diag_socket(bytes)->tcp_info.length, 0u);
  bytes.insert(bytes.begin() + kInfoOffset + 4 + kInfoBytes, 256, std::byte{0xee});
  const auto socket = parse_diag_socket(bytes);
  EXPECT_EQ(socket->tcp_info.length, sizeof(TcpInfo));
  EXPECT_EQ(socket->tcp_info.info.snd_cwnd, 18u);
  EXPECT_EQ(socket->congestion_control, "bbr");
}

TEST(DiagSocketTest, WithoutTcpInfoThereIsNoReading) {
  auto bytes = message(kDumped);
  bytes.resize(kHeaderBytes);
  const auto socket = parse_diag_socket(bytes);
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->tcp_info.length, 0u);
}

TEST(DiagSocketTest, UnknownAttributesAreSkipped) {
  auto bytes = message(kDumped);
  bytes[kInfoOffset + 2] = std::byte{200};  // its type
  const auto socket = parse_diag_socket(bytes);
  EXPECT_EQ(socket->tcp_info.length, 0u);
  EXPECT_EQ(socket->congestion_control, "bbr");
}

TEST(DiagSocketTest, RejectsOtherAddressFamilies) {
  auto bytes = message(kDumped);
  bytes[0] = std::byte{AF_UNIX};
  EXPECT_FALSE(parse_diag_socket(bytes));
}

// AddressSanitizer shows the faults that the next two tests look for.
TEST(DiagSocketTest, SurvivesEveryTruncation) {
  const auto whole = message(kDumped);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Message part{whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)};
    EXPECT_EQ(parse_diag_socket(part).has_value(), length >= kHeaderBytes) << length;
  }
}

TEST(DiagSocketTest, SurvivesWrongLengths) {
  for (std::size_t at = kHeaderBytes; at < message(kDumped).size(); ++at) {
    for (const int value : {0, 1, 3, 4, 0x7f, 0xff}) {
      auto bytes = message(kDumped);
      bytes[at] = std::byte(value);
      const auto socket = parse_diag_socket(bytes);
      ASSERT_TRUE(socket);
      EXPECT_LE(socket->tcp_info.length, sizeof(TcpInfo));
    }
  }
}

}  // namespace
}  // namespace tcpinfo
