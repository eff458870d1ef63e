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

/// A TCP socket as NETLINK_SOCK_DIAG tells of it; addresses in the family of the socket, so that
/// IPv4 on a socket of both families is IPv4-mapped IPv6. A value.
struct DiagSocket {
  std::uint64_t cookie = 0;  ///< getsockopt(SO_COOKIE): never used twice while the system runs
  TcpState state = TcpState::kClose;
  sockaddr_storage local{};
  sockaddr_storage peer{};
  std::string congestion_control;              ///< empty: not told
  TcpInfoReading tcp_info;                     ///< length 0: not told
  std::optional<base::BitRate> bbr_bandwidth;  ///< bbr's estimate of the path, app-limited or not
};

/// `payload`: struct inet_diag_msg and its attributes (include/uapi/linux/inet_diag.h). Empty when
/// it is neither of IPv4 nor IPv6, or too short; what it says beyond what is read here is skipped.
/// TCP_INFO of any length is taken, which libnl-idiag does not: it knows libc's 104 bytes. Pure.
std::optional<DiagSocket> parse_diag_socket(wire::Bytes payload);

}  // namespace tcpinfo
