#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "base/units.h"
#include "netlab/command.h"
#include "netlab/link.h"
#include "netlab/network_namespace.h"

namespace netlab {

struct IpPacket {
  std::vector<std::uint8_t> bytes;
};

inline base::ByteCount size_of(const IpPacket& packet) {
  return base::ByteCount{static_cast<std::int64_t>(packet.bytes.size())};
}

/// Of IPv4's addresses, protocol and ports: the same for all packets of a connection in one
/// direction.
std::uint64_t flow_of(const IpPacket& packet);

/// One server namespace and a namespace for each client, joined by emulated paths:
///
///   server ns 10.77.N.1 -- TUN -- [ down -> / <- up ] -- TUN -- 10.77.N.2 client N's ns
///
/// Shared links, if there are any, come one after the other before a client's own link on the way
/// down: common bottlenecks for flows with different delays and path lengths.
///
/// Single-threaded: epoll and one timer; sleeps until the next packet arrives. Start-up errors
/// throw base::SystemError.
class Emulator {
 public:
  struct Settings {
    std::size_t clients = 1;
    LinkSettings down;  ///< server to client
    LinkSettings up;
    std::vector<LinkSettings> shared;
    /// For each client, the shared links that its path passes, in rising order. Clients beyond the
    /// end of this list pass all of them.
    std::vector<std::vector<std::size_t>> through;
    std::uint64_t seed = 1;
    bool alike = false;  ///< the same seed for every client: chance affects all alike
    std::vector<std::pair<base::Duration, Command>> schedule;  ///< times since run()
  };

  explicit Emulator(Settings settings);

  /// Forwards until end of file or `quit` on `control`, SIGTERM or SIGINT. Lines on `control` are
  /// commands (command.h), or `stats`; answers, one JSON object each, go to `answers`.
  void run(int control, std::ostream& answers);

  /// The addresses and namespaces as JSON; `nsenter --net=PATH` enters a namespace.
  std::string description() const;
  std::string counters() const;

  std::size_t clients() const { return paths_.size(); }
  const NetworkNamespace& server() const { return server_; }
  const NetworkNamespace& client(std::size_t index) const { return *paths_[index].name_space; }

 private:
  struct Direction {
    int from;  // TUN to read
    int to;    // TUN to write
    Link<IpPacket> link;
    std::uint64_t write_failures = 0;  // the far interface was down
  };
  struct Path {
    std::unique_ptr<NetworkNamespace> name_space;
    std::vector<std::size_t> through;  // indices of shared_
    base::UniqueFd server_tun;
    base::UniqueFd client_tun;
    std::array<Direction, 2> directions;  // down, up
  };

  Path make_path(std::size_t index) const;
  std::vector<std::size_t> through(std::size_t client) const;
  void watch(int fd, std::uint64_t tag);
  bool handle(const epoll_event& event, int control, std::ostream& answers);
  bool read_control(int control, std::ostream& answers);
  bool obey(const std::string& line, std::ostream& answers);
  void apply(const Command& command, base::Time now);
  void run_schedule(base::Time now);
  void read_packets(int from, Link<IpPacket>& link);
  Link<IpPacket>& first_link_down(Path& path);
  void pass_on(std::size_t link, base::Time now);
  void deliver(base::Time now);
  void arm_timer();

  Settings settings_;
  NetworkNamespace server_;
  std::vector<Path> paths_;
  std::vector<Link<IpPacket>> shared_;
  base::UniqueFd epoll_;
  base::UniqueFd timer_;
  base::UniqueFd signals_;
  std::string partial_line_;
  base::Time started_{};
  std::size_t schedule_done_ = 0;
};

}  // namespace netlab
