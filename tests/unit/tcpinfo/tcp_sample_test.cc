#include "tcpinfo/tcp_sample.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "base/unique_fd.h"
#include "tcpinfo/socket_sampler.h"

namespace tcpinfo {
namespace {

TEST(TcpSampleTest, ConvertsTheKernelsUnits) {
  TcpInfoReading reading{.length = sizeof(TcpInfo)};
  reading.info.rtt = 50300;
  reading.info.min_rtt = 49000;
  reading.info.snd_ssthresh = 37;
  reading.info.delivery_rate = 625000;
  reading.info.flags = 1;
  reading.info.last_ack_recv = 12;
  const TcpSample sample = to_sample(reading, {});
  EXPECT_EQ(sample.rtt, std::chrono::microseconds{50300});
  EXPECT_EQ(sample.min_rtt, std::chrono::microseconds{49000});
  EXPECT_EQ(sample.ssthresh, 37u);
  EXPECT_EQ(sample.delivery_rate, base::BitRate::mbps(5));
  EXPECT_TRUE(sample.app_limited);
  EXPECT_EQ(sample.since_ack, std::chrono::milliseconds{12});
}

TEST(TcpSampleTest, InfiniteSsthreshIsNullopt) {
  TcpInfoReading reading{.length = sizeof(TcpInfo)};
  reading.info.snd_ssthresh = 0x7fffffff;
  EXPECT_EQ(to_sample(reading, {}).ssthresh, std::nullopt);
}

TEST(TcpSampleTest, NoMinRttBeforeTheFirstMeasurement) {
  TcpInfoReading reading{.length = sizeof(TcpInfo)};
  reading.info.min_rtt = ~0u;
  EXPECT_EQ(to_sample(reading, {}).min_rtt.count(), 0);
}

TEST(TcpSampleTest, AnUnlimitedPacingRateStaysPositive) {
  TcpInfoReading reading{.length = sizeof(TcpInfo)};
  reading.info.delivery_rate = ~0ull;
  EXPECT_GT(to_sample(reading, {}).delivery_rate.bps(), 0);
}

TEST(TcpSampleTest, TimesThatAreTooLongStayPositive) {
  TcpInfoReading reading{.length = sizeof(TcpInfo)};
  reading.info.busy_time = ~0ull;
  reading.info.rwnd_limited = 1ull << 62;
  EXPECT_GT(to_sample(reading, {}).busy.count(), 0);
  EXPECT_GT(to_sample(reading, {}).receiver_limited.count(), 0);
}

TEST(TcpSampleTest, KernelsBefore67HaveNoTimeoutCounter) {
  TcpInfoReading reading{.length = kLinux61TcpInfoBytes};
  EXPECT_EQ(to_sample(reading, {}).total_timeouts, std::nullopt);
  reading.length = 280;
  EXPECT_EQ(to_sample(reading, {}).total_timeouts, 0u);
}

/// A connected TCP pair on loopback: {client, server}.
std::array<base::UniqueFd, 2> connected_pair() {
  base::UniqueFd listener{::socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address{
      .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), generic, length), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), generic, &length), 0);
  base::UniqueFd client{::socket(AF_INET, SOCK_STREAM, 0)};
  EXPECT_EQ(::connect(client.get(), generic, length), 0);
  base::UniqueFd server{::accept(listener.get(), nullptr, nullptr)};
  return {std::move(client), std::move(server)};
}

TEST(SocketSamplerTest, AcceptedSocketCountsAcknowledgedBytesFromZero) {
  auto [client, server] = connected_pair();
  std::array<char, 1000> data{};
  ASSERT_EQ(::send(server.get(), data.data(), data.size(), 0), 1000);
  ASSERT_EQ(::recv(client.get(), data.data(), data.size(), MSG_WAITALL), 1000);
  ASSERT_EQ(::send(client.get(), data.data(), 1, 0), 1);  // carries the ACK
  ASSERT_EQ(::recv(server.get(), data.data(), 1, 0), 1);
  const auto sample = SocketSampler{}.sample(server.get(), {});
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->bytes_acked, 1000u);
  EXPECT_GT(sample->mss, 0u);
}

TEST(SocketSamplerTest, RejectsAUdpSocket) {
  base::UniqueFd udp{::socket(AF_INET, SOCK_DGRAM, 0)};
  EXPECT_FALSE(SocketSampler{}.sample(udp.get(), {}));
}

}  // namespace
}  // namespace tcpinfo
