#pragma once

#include <vector>

#include "base/units.h"
#include "server/address.h"
#include "server/cors.h"

namespace server {

/// Built-in defaults, the same as in config/symcast.toml.
struct Settings {
  std::vector<Endpoint> listen;
  int threads = 0;  ///< event loops; 0: one per CPU
  int max_viewers = 10000;
  int max_viewers_per_address = 1000;
  base::ByteCount max_header{8192};                         ///< larger: 431
  base::Duration header_timeout = std::chrono::seconds{5};  ///< slower: closed
  base::Duration queue = std::chrono::seconds{1};           ///< media time a viewer may be behind
  base::Duration stall_timeout = std::chrono::seconds{10};  ///< nothing read for so long: closed
  std::vector<Network> admin_allow;                         ///< who may read admin pages
  std::vector<Origin> cors_allow;                           ///< whose pages may use the media

  // A player of segments loads over two or three connections, and browsers over six at most.
  static constexpr int kConnectionsPerViewer = 6;
  // Beside the viewers: requests for pages, and connections that have not asked yet.
  static constexpr int kOtherConnections = 1000;
  static constexpr int kOtherPerAddress = 100;
  int max_connections() const { return kConnectionsPerViewer * max_viewers + kOtherConnections; }
  int max_connections_per_address() const {
    return kConnectionsPerViewer * max_viewers_per_address + kOtherPerAddress;
  }
  bool operator==(const Settings&) const = default;
};

/// Event loops that these settings make: `threads`, or one per CPU.
int loop_count(const Settings& settings);

}  // namespace server
