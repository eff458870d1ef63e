#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "tcpinfo/netlink/diag_socket.h"
#include "tcpinfo/netlink/netlink_socket.h"

namespace tcpinfo {

/// Receives the final TCP_INFO of each TCP socket that the kernel destroys in this network
/// namespace (SKNLGRP_INET_TCP_DESTROY, include/uapi/linux/sock_diag.h). After close() that is when
/// the last byte is acknowledged, the peer has reset the connection, or TCP has given up. A socket
/// closed with SO_LINGER 0 has lost its counters by then (tcp_disconnect, net/ipv4/tcp.c). No
/// privileges. Used by one thread, except lost().
class DestroyedSockets {
 public:
  /// Reports sockets with one of these local ports (at most 1000 ports) that are destroyed from now
  /// on; the kernel filters out the others.
  static base::Result<DestroyedSockets> open(const std::vector<std::uint16_t>& local_ports);

  int fd() const { return socket_.fd(); }  ///< readable when messages wait

  /// Calls `take` for each message that has arrived; does not wait for more.
  void drain(const std::function<void(const DiagSocket&)>& take);

  /// Messages lost because the kernel's buffer was full, or because they were too long for ours.
  /// The kernel's holds 330 messages with Debian's net.core.rmem_max, 1600 with 1 MiB. Thread-safe.
  std::uint64_t lost() const;

 private:
  explicit DestroyedSockets(NetlinkSocket socket) : socket_{std::move(socket)} {}

  NetlinkSocket socket_;
  std::unique_ptr<std::atomic<std::uint64_t>> too_long_ =
      std::make_unique<std::atomic<std::uint64_t>>(0);  ///< messages
};

}  // namespace tcpinfo
