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

/// Compares two dumps of the kernel's sockets: the viewers' connections, now and over the interval
/// between the dumps. No I/O, no clock.
namespace app {

/// The viewer whose connection it is.
struct ConnectionViewer {
  std::uint64_t id = 0;
  std::string stream;
  std::string format;
};

/// The sockets of one dump.
struct Snapshot {
  base::Time at{};
  std::vector<tcpinfo::DiagSocket> sockets;
};

/// A viewer's connection now, and its changes since the previous snapshot.
struct Connection {
  server::Endpoint peer;
  std::optional<ConnectionViewer> viewer;  ///< as far as the server says
  std::string congestion_control;
  tcpinfo::TcpSample now;
  std::optional<base::BitRate> bbr_bandwidth;
  std::uint32_t in_flight = 0;  ///< segments
  base::Duration age{};         ///< since the peer last sent data; a viewer's is its request

  base::BitRate rate;  ///< acknowledged
  std::uint32_t segments_sent = 0;
  std::uint32_t retransmits = 0;          ///< among segments_sent
  std::optional<std::uint32_t> timeouts;  ///< Linux 6.7 and later
  // Shares of the interval, 0 to 1.
  double busy = 0;            ///< data was in flight or queued
  double rwnd_limited = 0;    ///< of that time, limited by the peer's window
  double sndbuf_limited = 0;  ///< of that time, limited by our send buffer
};

/// The established connections of `now`. Those not in `before` began after it.
std::vector<Connection> connections(const Snapshot& before, const Snapshot& now);

void sort(std::vector<Connection>& connections, SortKey key);

}  // namespace app
