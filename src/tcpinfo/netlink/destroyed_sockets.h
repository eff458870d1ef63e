#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "tcpinfo/netlink/diag_socket.h"
#include "tcpinfo/netlink/netlink_socket.h"

namespace tcpinfo {

/// Hears from the kernel of each TCP socket that it destroys in this network namespace, with its
/// final TCP_INFO (SKNLGRP_INET_TCP_DESTROY, include/uapi/linux/sock_diag.h): after close(), when
/// the last byte is acknowledged, the peer has reset the connection, or TCP has given up. A socket
/// closed with SO_LINGER 0 has lost its counters by then (tcp_disconnect, net/ipv4/tcp.c). No
/// privileges. Used by one thread, but for lost().
class DestroyedSockets {
 public:
  /// Of sockets with one of these local ports, at most 1000; the kernel keeps the others back. From
  /// now on: what is destroyed before is not told.
  static base::Result<DestroyedSockets> open(const std::vector<std::uint16_t>& local_ports);

  int fd() const { return socket_.fd(); }  ///< readable when messages wait

  /// Takes what has arrived, without waiting for more.
  void drain(const std::function<void(const DiagSocket&)>& take);

  /// Messages that the kernel had no room for: its buffer holds 330 where net.core.rmem_max
  /// is Debian's, 1600 where it is 1 MiB. Thread-safe.
  std::uint64_t lost() const;

 private:
  explicit DestroyedSockets(NetlinkSocket socket) : socket_{std::move(socket)} {}

  NetlinkSocket socket_;
};

}  // namespace tcpinfo
