#include "tcpinfo/netlink/diag_socket.h"

#include <linux/inet_diag.h>
#include <netinet/in.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace tcpinfo {

namespace {

/// `port` and `address` in network order; an IPv4 address is the first word.
sockaddr_storage socket_address(std::uint8_t family, std::uint16_t port,
                                const std::uint32_t (&address)[4]) {
  sockaddr_storage out{};
  if (family == AF_INET) {
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = port;
    v4.sin_addr.s_addr = address[0];
    std::memcpy(&out, &v4, sizeof v4);
  } else {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = port;
    std::memcpy(&v6.sin6_addr, address, sizeof address);
    std::memcpy(&out, &v6, sizeof v6);
  }
  return out;
}

TcpInfoReading tcp_info(wire::Bytes value) {
  TcpInfoReading reading;
  reading.length = std::min(value.size(), sizeof reading.info);
  std::memcpy(&reading.info, value.data(), reading.length);
  return reading;
}

std::string text(wire::Bytes value) {
  const std::string_view all{reinterpret_cast<const char*>(value.data()), value.size()};
  return std::string{all.substr(0, all.find('\0'))};
}

std::optional<base::BitRate> bbr_bandwidth(wire::Bytes value) {
  const auto bbr = wire::front<tcp_bbr_info>(value);
  if (!bbr) return std::nullopt;
  constexpr std::uint64_t kMaxByteRate = std::numeric_limits<std::int64_t>::max() / 8;
  const auto bytes_per_second = std::uint64_t{bbr->bbr_bw_hi} << 32 | bbr->bbr_bw_lo;
  return base::BitRate{static_cast<std::int64_t>(std::min(bytes_per_second, kMaxByteRate)) * 8};
}

void apply(const wire::Attribute& attribute, DiagSocket& socket) {
  switch (attribute.type) {
    case INET_DIAG_INFO:
      socket.tcp_info = tcp_info(attribute.value);
      break;
    case INET_DIAG_CONG:
      socket.congestion_control = text(attribute.value);
      break;
    case INET_DIAG_BBRINFO:
      socket.bbr_bandwidth = bbr_bandwidth(attribute.value);
      break;
    default:
      break;
  }
}

}  // namespace

std::optional<DiagSocket> parse_diag_socket(wire::Bytes payload) {
  const auto message = wire::front<inet_diag_msg>(payload);
  if (!message) return std::nullopt;
  if (message->idiag_family != AF_INET && message->idiag_family != AF_INET6) return std::nullopt;
  const auto& id = message->id;
  DiagSocket socket;
  socket.cookie = std::uint64_t{id.idiag_cookie[1]} << 32 | id.idiag_cookie[0];
  socket.state = static_cast<TcpState>(message->idiag_state);
  socket.local = socket_address(message->idiag_family, id.idiag_sport, id.idiag_src);
  socket.peer = socket_address(message->idiag_family, id.idiag_dport, id.idiag_dst);
  auto rest = wire::after<inet_diag_msg>(payload);
  while (const auto attribute = wire::take_attribute(rest)) apply(*attribute, socket);
  return socket;
}

}  // namespace tcpinfo
