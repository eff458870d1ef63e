#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tcpinfo/netlink/diag_socket.h"
#include "tcpinfo/netlink/netlink_socket.h"

namespace tcpinfo {

/// The sockets that a dump contains; the kernel filters.
struct DiagQuery {
  std::vector<TcpState> states{TcpState::kEstablished};
  std::vector<std::uint16_t> local_ports{};  ///< all if empty
};

/// Lists the TCP sockets of this network namespace, IPv4 and IPv6, including those of other
/// processes (sock_diag(7)). No privileges. A dump takes 0.4 ms and 1.6 µs per socket. Used by one
/// thread.
class SockDiag {
 public:
  static base::Result<SockDiag> open();
  base::Result<std::vector<DiagSocket>> dump(const DiagQuery& query);

 private:
  explicit SockDiag(NetlinkSocket socket) : socket_{std::move(socket)} {}

  NetlinkSocket socket_;
};

}  // namespace tcpinfo
