#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/units.h"
#include "tcpinfo/netlink/wire.h"
#include "tcpinfo/tcp_info.h"

namespace tcpinfo {

/// include/net/tcp_states.h
enum class TcpState : std::uint8_t {
  kEstablished = 1,
  kSynSent,
  kSynReceived,
  kFinWait1,
  kFinWait2,
  kTimeWait,
  kClose,
  kCloseWait,
  kLastAck,
  kListen,
  kClosing,
  kNewSynReceived,
};

/// A TCP socket as NETLINK_SOCK_DIAG reports it. Addresses have the family of the socket: on a
/// dual-stack socket IPv4 appears as IPv4-mapped IPv6.
struct DiagSocket {
  std::uint64_t cookie = 0;  ///< getsockopt(SO_COOKIE): unique while the system runs
  TcpState state = TcpState::kClose;
  sockaddr_storage local{};
  sockaddr_storage peer{};
  std::string congestion_control;              ///< empty if not reported
  TcpInfoReading tcp_info;                     ///< length 0 if not reported
  std::optional<base::BitRate> bbr_bandwidth;  ///< bbr's estimate of the path, app-limited or not
};

/// Parses `payload`: struct inet_diag_msg and its attributes (include/uapi/linux/inet_diag.h).
/// nullopt if it is too short, or neither IPv4 nor IPv6. Unknown attributes are skipped. Accepts
/// TCP_INFO of any length; libnl-idiag knows only libc's 104 bytes. A pure function.
std::optional<DiagSocket> parse_diag_socket(wire::Bytes payload);

}  // namespace tcpinfo
