#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "tcpinfo/netlink/diag_socket.h"
#include "tcpinfo/netlink/netlink_socket.h"

namespace tcpinfo {

/// Which sockets a dump is of; the kernel picks them.
struct DiagQuery {
  std::vector<TcpState> states{TcpState::kEstablished};
  std::vector<std::uint16_t> local_ports{};  ///< empty: all
};

/// Tells of the TCP sockets of this network namespace, also those of other processes, IPv4 and IPv6
/// (sock_diag(7)). No privileges. 0.4 ms, and 1.6 µs per socket. Used by one thread.
class SockDiag {
 public:
  static base::Result<SockDiag> open();
  base::Result<std::vector<DiagSocket>> dump(const DiagQuery& query);

 private:
  explicit SockDiag(NetlinkSocket socket) : socket_{std::move(socket)} {}

  NetlinkSocket socket_;
};

}  // namespace tcpinfo
