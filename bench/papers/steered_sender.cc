// Sends zeros over TCP as fast as each connection takes them, with the size and the settings that
// its client requests. For bench/papers. Needs CAP_BPF and CAP_PERFMON for symcast's own congestion
// controls.
//
//   steered_sender PORT     until it is ended
//
// A client sends one line and then receives zeros:
//   {"name": "a", "bytes": 1000000, "congestion_control": "sym_libra", "capacity": 20000000,
//    "video_rate": 5000000}
// Rates are in bit/s; all but the name are optional, and without "bytes" the zeros do not end. Each
// connection is reported on standard output, ten times per second and when it ends:
//   {"name": "a", "bytes_acked": ..., "retransmits": ..., "cwnd": ..., "ssthresh": ..., "rtt_us":
//   ...}

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/system_error.h"
#include "base/unique_fd.h"
#include "tcpinfo/ebpf/congestion_controls.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_hints.h"
#include "tcpinfo/socket_sampler.h"

namespace {

using nlohmann::json;

constexpr long kReportNs = 100'000'000;
/// Enough for a bulk sender, and little enough that cwnd and not the buffer is the limit.
constexpr int kUnsent = 128 * 1024;

tcpinfo::Hints hints_of(const json& request) {
  tcpinfo::Hints hints;
  hints.congestion_control = request.value("congestion_control", "");
  hints.capacity = base::BitRate{request.value("capacity", std::int64_t{0})};
  hints.video_rate = base::BitRate{request.value("video_rate", std::int64_t{0})};
  return hints;
}

class Sender {
 public:
  Sender(std::uint16_t port, tcpinfo::SocketHints hints)
      : hints_{std::move(hints)},
        listener_{base::check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0))},
        timer_{base::check("timerfd_create", ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK))},
        epoll_{base::check("epoll_create1", ::epoll_create1(0))} {
    const int on = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    base::check("bind", ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address),
                               sizeof address));
    base::check("listen", ::listen(listener_.get(), SOMAXCONN));
    const timespec period{.tv_sec = 0, .tv_nsec = kReportNs};
    const itimerspec timing{.it_interval = period, .it_value = period};
    base::check("timerfd_settime", ::timerfd_settime(timer_.get(), 0, &timing, nullptr));
    watch(listener_.get(), EPOLLIN);
    watch(timer_.get(), EPOLLIN);
  }

  [[noreturn]] void run() {
    for (;;) {
      std::array<epoll_event, 64> events;
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)]);
    }
  }

 private:
  struct Connection {
    base::UniqueFd fd;
    std::string name;        // empty before the request
    std::uint64_t left = 0;  // bytes still to send
  };

  void watch(int fd, std::uint32_t events) {
    epoll_event event{.events = events, .data = {.fd = fd}};
    base::check("epoll_ctl", ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event));
  }

  void handle(const epoll_event& event) {
    const int fd = event.data.fd;
    if (fd == listener_.get()) return accept();
    if (fd == timer_.get()) return report_all();
    Connection& connection = connections_[fd];
    if (!(connection.name.empty() ? read_request(connection) : write(connection))) {
      if (!connection.name.empty()) report(connection);
      connections_.erase(fd);
    }
  }

  void accept() {
    const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK);
    if (fd < 0) return;
    connections_[fd].fd.reset(fd);
    watch(fd, EPOLLIN);
  }

  /// Assumes that the request is one segment.
  bool read_request(Connection& connection) {
    std::array<char, 1024> line;
    const auto size = ::recv(connection.fd.get(), line.data(), line.size(), 0);
    if (size <= 0) return false;
    const json request = json::parse(line.data(), line.data() + size);
    connection.name = request.at("name");
    connection.left = request.value("bytes", std::numeric_limits<std::uint64_t>::max());
    const auto applied = hints_.apply(connection.fd.get(), hints_of(request));
    if (!applied.error.empty()) {
      std::cerr << "steered_sender: " << applied.error << '\n';
      return false;
    }
    tcpinfo::set_notsent_lowat(connection.fd.get(), base::ByteCount{kUnsent});
    return wait_for(connection, EPOLLOUT);
  }

  bool write(Connection& connection) {
    static const std::array<char, 64 * 1024> zeros{};
    if (connection.left == 0) return false;  // the client has disconnected
    const auto size = std::min<std::uint64_t>(zeros.size(), connection.left);
    const auto sent = ::send(connection.fd.get(), zeros.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN;
    connection.left -= static_cast<std::uint64_t>(sent);
    return connection.left > 0 || wait_for(connection, EPOLLRDHUP);
  }

  bool wait_for(const Connection& connection, std::uint32_t events) {
    epoll_event event{.events = events, .data = {.fd = connection.fd.get()}};
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.fd.get(), &event) == 0;
  }

  void report_all() {
    std::uint64_t expirations = 0;
    if (::read(timer_.get(), &expirations, sizeof expirations) < 0) return;
    for (const auto& [fd, connection] : connections_) {
      if (!connection.name.empty()) report(connection);
    }
  }

  static void report(const Connection& connection) {
    const auto reading = tcpinfo::read_tcp_info(connection.fd.get());
    if (!reading) return;
    const auto& info = reading->info;
    const json line{{"name", connection.name},           {"bytes_acked", info.bytes_acked},
                    {"retransmits", info.total_retrans}, {"cwnd", info.snd_cwnd},
                    {"ssthresh", info.snd_ssthresh},     {"rtt_us", info.rtt}};
    std::cout << line.dump() << std::endl;
  }

  tcpinfo::SocketHints hints_;
  base::UniqueFd listener_;
  base::UniqueFd timer_;
  base::UniqueFd epoll_;
  std::map<int, Connection> connections_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: steered_sender PORT\n";
    return 2;
  }
  const auto controls = tcpinfo::CongestionControls::load();
  if (!controls)
    std::cerr << "steered_sender: kernel congestion controls only: " << controls.error() << '\n';
  Sender{static_cast<std::uint16_t>(std::atoi(argv[1])),
         tcpinfo::SocketHints{controls ? (*controls)->own() : tcpinfo::OwnControls{}}}
      .run();
} catch (const std::exception& error) {
  std::cerr << "steered_sender: " << error.what() << '\n';
  return 1;
}
