#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/top/top_options.h"
#include "base/units.h"
#include "server/address.h"
#include "tcpinfo/netlink/diag_socket.h"
#include "tcpinfo/tcp_sample.h"

/// What two dumps of the kernel's sockets say of the connections between them. Pure.
namespace app {

/// Sockets as one dump had them.
struct Snapshot {
  base::Time at{};
  std::vector<tcpinfo::DiagSocket> sockets;
};

/// A viewer's connection: now, and what came to pass since the snapshot before.
struct Connection {
  server::Endpoint peer;
  std::string congestion_control;
  tcpinfo::TcpSample now;
  std::optional<base::BitRate> bbr_bandwidth;
  std::uint32_t in_flight = 0;  ///< segments
  base::Duration age{};         ///< since the peer last sent something, for viewers their request

  base::BitRate rate;  ///< acknowledged
  std::uint32_t segments_sent = 0;
  std::uint32_t retransmits = 0;          ///< of those
  std::optional<std::uint32_t> timeouts;  ///< Linux 6.7 and later
  /// Shares of the time, 0 to 1: something was in flight or waited; of that, the peer's window or
  /// our send buffer was the limit.
  double busy = 0;
  double rwnd_limited = 0;
  double sndbuf_limited = 0;
};

/// The established ones of `now`. One that `before` has not began after it.
std::vector<Connection> connections(const Snapshot& before, const Snapshot& now);

void sort(std::vector<Connection>& connections, SortKey key);

}  // namespace app
