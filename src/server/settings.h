#pragma once

#include <vector>

#include "base/units.h"
#include "server/address.h"
#include "server/admin_access.h"
#include "server/cors.h"

namespace server {

/// The server's settings, with the built-in defaults, which config/symcast.toml repeats. A value.
struct Settings {
  std::vector<Endpoint> listen;
  int threads = 0;  ///< event loops; 0 means one per CPU
  int max_viewers = 10000;
  int max_viewers_per_address = 1000;
  base::ByteCount max_header{8192};                         ///< a larger request receives 431
  base::Duration header_timeout = std::chrono::seconds{5};  ///< a slower client is closed
  base::Duration queue = std::chrono::seconds{1};           ///< media time a viewer may be behind
  base::Duration stall_timeout = std::chrono::seconds{10};  ///< closes a client that reads nothing
  base::BitRate min_rate = base::BitRate::kbps(32);  ///< resets a client that reads more slowly
  base::ByteCount max_unread{};          ///< of responses, in all; 0: see unread_limit()
  std::vector<Network> proxy_protocol;   ///< proxies that send its header
  std::vector<Network> trusted_proxies;  ///< their word on a client's address holds
  std::vector<Network> admin_allow;      ///< clients that may read admin pages
  std::vector<HostName> admin_hosts;     ///< names by which they reach the server
  std::vector<Origin> cors_allow;        ///< origins whose pages may use media

  // A segment player uses two or three connections, and a browser at most six.
  static constexpr int kConnectionsPerViewer = 6;
  // Room for page requests, and for connections that have not sent a request yet. More costs
  // descriptors; with less, they compete with the viewers' connections.
  static constexpr int kExtraConnections = 1000;
  static constexpr int kExtraConnectionsPerAddress = 100;
  int max_connections() const { return kConnectionsPerViewer * max_viewers + kExtraConnections; }
  int max_connections_per_address() const {
    return kConnectionsPerViewer * max_viewers_per_address + kExtraConnectionsPerAddress;
  }
  bool operator==(const Settings&) const = default;
};

/// Addresses that stand for many clients.
std::vector<Network> all_proxies(const Settings& settings);

/// `max_unread`, or a sixteenth of the memory that this process may use, from 16 to 512 MiB: the
/// kernel needs up to twice as much for it, and keeps an eighth or less for all sockets (tcp_mem in
/// tcp(7)).
base::ByteCount unread_limit(const Settings& settings);

/// The number of event loops: `threads`, or one per CPU.
int loop_count(const Settings& settings);

}  // namespace server
