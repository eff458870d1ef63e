#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "server/address.h"

namespace app {

/// Listening sockets that stay open while the service is restarted, after a crash as well: systemd
/// keeps copies of them (FileDescriptorStoreMax= in the unit), and passes them to the next process.
/// Meanwhile new connections wait; a refusal would make many players stop. Also takes sockets of a
/// symcast.socket unit. Without systemd there are none. Used once, at start.
class KeptSockets {
 public:
  /// Takes the sockets that systemd has passed to this process.
  KeptSockets();

  /// Listens on the endpoints: takes the kept socket where there is one, and opens the others.
  /// Sockets that no endpoint needs are closed, also at systemd. Throws as server::listen_on does.
  std::vector<base::UniqueFd> listen_on(const std::vector<server::Endpoint>& endpoints);

 private:
  struct Kept {
    base::UniqueFd fd;
    std::string name;  ///< at systemd
    server::Endpoint endpoint;
  };

  base::UniqueFd take(const server::Endpoint& wanted);
  void close_others();

  std::vector<Kept> kept_;
};

}  // namespace app
