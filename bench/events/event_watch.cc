// The reference for bench/events: watches the viewers' sockets of another process with its own eBPF
// program and prints each congestion event as a line of JSON. Needs root.
//
//   event_watch PID PORT     until standard input ends

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>

#include "base/system_error.h"
#include "base/unique_fd.h"
#include "tcpinfo/ebpf/event_programs.h"

namespace {

constexpr int kScanMs = 100;

/// "ADDRESS:PORT" of the viewer if `fd` is a connection to `port` from another machine, else empty.
std::string viewer_of(int fd, int port) {
  sockaddr_in6 local{}, peer{};
  socklen_t length = sizeof local;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&local), &length) != 0) return {};
  if (local.sin6_family != AF_INET6 || ntohs(local.sin6_port) != port) return {};
  length = sizeof peer;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) != 0) return {};
  char text[INET6_ADDRSTRLEN];
  const std::string address = ::inet_ntop(AF_INET6, &peer.sin6_addr, text, sizeof text);
  if (address.starts_with("::ffff:127.") || address == "::1") return {};
  return address.substr(address.starts_with("::ffff:") ? 7 : 0) + ":" +
         std::to_string(ntohs(peer.sin6_port));
}

class Watcher {
 public:
  Watcher(tcpinfo::EventPrograms& programs, int pid, int port)
      : programs_{programs},
        pid_{pid},
        port_{port},
        process_{base::check("pidfd_open", static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))} {}

  /// Starts to watch new connections.
  void scan() {
    std::error_code gone;
    const auto folder = "/proc/" + std::to_string(pid_) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator{folder, gone}) {
      const auto link = std::filesystem::read_symlink(entry.path(), gone).string();
      if (link.starts_with("socket:") && !seen_.contains(link)) watch(link, entry.path());
    }
  }

  void print() {
    programs_.read(0, [this](std::uint64_t session, const tcpinfo::CongestionEvent& event) {
      const auto now = base::Clock::now();
      std::cout << R"({"viewer": ")" << viewers_[session] << R"(", "kind": ")"
                << tcpinfo::name(event.kind) << R"(", "at": )"
                << base::seconds(event.at.time_since_epoch()) << R"(, "seen": )"
                << base::seconds(now.time_since_epoch()) << "}\n";
    });
    std::cout.flush();
  }

 private:
  void watch(const std::string& link, const std::filesystem::path& path) {
    const int number = std::atoi(path.filename().c_str());
    const base::UniqueFd fd{
        static_cast<int>(::syscall(SYS_pidfd_getfd, process_.get(), number, 0))};
    if (!fd) return;
    const auto viewer = viewer_of(fd.get(), port_);
    if (viewer.empty() || !programs_.watch(fd.get(), viewers_.size(), 0)) return;
    viewers_[viewers_.size()] = viewer;
    seen_[link] = true;
  }

  tcpinfo::EventPrograms& programs_;
  const int pid_;
  const int port_;
  const base::UniqueFd process_;
  std::map<std::string, bool> seen_;
  std::map<std::uint64_t, std::string> viewers_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "event_watch PID PORT\n";
    return 2;
  }
  const auto programs = tcpinfo::EventPrograms::load(tcpinfo::EventSource::kTracepoint, 1);
  if (!programs) {
    std::cerr << "event_watch: " << programs.error() << '\n';
    return 1;
  }
  std::cout.precision(16);
  Watcher watcher{**programs, std::atoi(argv[1]), std::atoi(argv[2])};
  for (;;) {
    watcher.scan();
    pollfd ready[] = {{(*programs)->fd(0), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    ::poll(ready, 2, kScanMs);
    watcher.print();
    if (ready[1].revents != 0) return 0;
  }
}
