#pragma once

#include <string_view>

#include "server/address.h"
#include "tcpinfo/netlink/diag_socket.h"

namespace app {

/// An established socket with an all-zero TCP_INFO of Linux 6.7 or later.
inline tcpinfo::DiagSocket diag_socket(std::uint64_t cookie,
                                       std::string_view peer = "192.0.2.7:5000") {
  tcpinfo::DiagSocket socket;
  socket.cookie = cookie;
  socket.state = tcpinfo::TcpState::kEstablished;
  socket.peer = server::Endpoint::parse(peer)->socket_address();
  socket.tcp_info.length = sizeof(tcpinfo::TcpInfo);
  return socket;
}

}  // namespace app
