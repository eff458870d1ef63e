#include "netlab/self_check.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <thread>

#include "base/system_error.h"
#include "netlab/emulator.h"

namespace netlab {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kHeaders = 28;     // IPv4 and UDP
constexpr auto kReceiveTimeout = 300ms;  // longer than any delay used here

base::UniqueFd open_udp(const NetworkNamespace& where, const std::string& local,
                        const std::string& remote) {
  const NetworkNamespace::Visit visit{where};
  base::UniqueFd fd{base::check("socket", ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))};
  const auto end_of = [](const std::string& text) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(7777);
    ::inet_pton(AF_INET, text.c_str(), &address.sin_addr);
    return address;
  };
  const sockaddr_in near = end_of(local);
  const sockaddr_in far = end_of(remote);
  const int buffer = 4 << 20;  // holds a whole burst, even if it is read late
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
  base::check("bind", ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&near), sizeof near));
  base::check("connect", ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&far), sizeof far));
  return fd;
}

/// An emulator on its own thread with a UDP socket at each end of each path.
class Rig {
 public:
  Rig(std::ostream& report, Emulator::Settings settings)
      : report_{report}, emulator_{std::move(settings)} {
    base::check("pipe", ::pipe(control_));
    for (std::size_t i = 0; i < emulator_.clients(); ++i) {
      const std::string network = "10.77." + std::to_string(i);
      servers_.push_back(open_udp(emulator_.server(), network + ".1", network + ".2"));
      clients_.push_back(open_udp(emulator_.client(i), network + ".2", network + ".1"));
    }
    thread_ = std::thread{[this] { emulator_.run(control_[0], answers_); }};
  }

  ~Rig() {
    ::close(control_[1]);
    thread_.join();
    ::close(control_[0]);
  }

  void command(const std::string& line) {
    base::check("command",
                static_cast<int>(::write(control_[1], (line + "\n").data(), line.size() + 1)));
    std::this_thread::sleep_for(20ms);
  }

  void send(std::size_t packet_size, std::size_t client = 0) {
    std::vector<std::uint8_t> payload(packet_size - kHeaders);
    base::check("send", static_cast<int>(
                            ::send(servers_[client].get(), payload.data(), payload.size(), 0)));
  }

  /// Arrival time of the first client's next packet; nullopt if none arrives.
  std::optional<base::Time> receive() {
    pollfd wait{.fd = clients_[0].get(), .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, std::chrono::milliseconds{kReceiveTimeout}.count()) <= 0)
      return std::nullopt;
    const base::Time now = base::Clock::now();
    std::array<char, 2048> buffer;
    if (::recv(clients_[0].get(), buffer.data(), buffer.size(), 0) < 0) return std::nullopt;
    return now;
  }

  std::vector<base::Time> receive_all() {
    std::vector<base::Time> arrivals;
    while (const auto arrival = receive()) arrivals.push_back(*arrival);
    return arrivals;
  }

  /// Reports `measured` and whether it is within `error` of `expected`.
  void expect(const std::string& what, double measured, double expected, double error) {
    const bool good = std::abs(measured - expected) <= error;
    all_good_ = all_good_ && good;
    report_ << (good ? "ok    " : "WRONG ") << std::left << std::setw(34) << what << std::right
            << std::fixed << std::setprecision(3) << " measured " << std::setw(9) << measured
            << "  expected " << std::setw(9) << expected << " +- " << error << std::endl;
  }

  bool all_good() const { return all_good_; }

 private:
  std::ostream& report_;
  bool all_good_ = true;
  Emulator emulator_;
  int control_[2];
  std::vector<base::UniqueFd> servers_;
  std::vector<base::UniqueFd> clients_;
  std::ostringstream answers_;  // only the thread writes to it
  std::thread thread_;
};

void check_delay(Rig& rig) {
  rig.command("down rate=10M delay=20ms");
  std::vector<double> delays;
  for (int i = 0; i < 100; ++i) {
    const base::Time sent = base::Clock::now();
    rig.send(1250);
    if (const auto arrival = rig.receive()) delays.push_back(base::seconds(*arrival - sent) * 1e3);
  }
  rig.expect("delay: packets received", static_cast<double>(delays.size()), 100, 0);
  std::ranges::sort(delays);
  // 20 ms and 1250 bytes at 10 Mbit/s. A busy machine shows in the tail.
  rig.expect("delay p50 (ms)", delays.at(delays.size() / 2), 21, 0.5);
  rig.expect("delay p95 (ms)", delays.at(delays.size() * 95 / 100), 21, 3);
}

void check_rate(Rig& rig) {
  rig.command("down rate=5M delay=1ms queue=1M");
  for (int i = 0; i < 400; ++i) rig.send(1500);
  const auto arrivals = rig.receive_all();
  const double bits = static_cast<double>(arrivals.size() - 1) * 1500 * 8;
  rig.expect("rate (Mbit/s)", bits / base::seconds(arrivals.back() - arrivals.front()) / 1e6, 5,
             0.05);
}

void check_rate_step(Rig& rig) {
  rig.command("down rate=4M");
  const base::Time begin = base::Clock::now();
  for (int i = 0; i < 100; ++i) rig.send(1500);
  std::this_thread::sleep_until(begin + 150ms);
  rig.command("down rate=2M");
  const auto arrivals = rig.receive_all();
  // 0.6 Mbit in 150 ms at 4 Mbit/s, the other 0.6 Mbit in 300 ms at 2 Mbit/s.
  rig.expect("rate halved half-way: time (ms)", base::seconds(arrivals.back() - begin) * 1e3, 451,
             15);
}

void check_loss(Rig& rig) {
  rig.command("down rate=0 loss=0.05");
  std::size_t received = 0;
  for (int burst = 0; burst < 10; ++burst) {  // a TUN device queues 500 packets
    for (int i = 0; i < 400; ++i) rig.send(100);
    received += rig.receive_all().size();
  }
  // 4 standard deviations of 4000 draws.
  rig.expect("loss (%)", 100 - static_cast<double>(received) / 40, 5, 1.4);
  rig.command("down loss=0");
}

void check_queue(Rig& rig) {
  rig.command("down rate=1M queue=30000");
  for (int i = 0; i < 60; ++i) rig.send(1500);
  // One packet takes 12 ms: at most one leaves while the burst is sent.
  rig.expect("queue of 30000 bytes (packets)", static_cast<double>(rig.receive_all().size()), 20,
             1);
}

void check_blackhole(Rig& rig) {
  rig.command("both rate=0 queue=1M blackhole=on");
  for (int i = 0; i < 20; ++i) rig.send(100);
  rig.expect("black hole (packets)", static_cast<double>(rig.receive_all().size()), 0, 0);
}

void check_shared(Rig& rig) {
  for (int i = 0; i < 400; ++i) rig.send(1500, static_cast<std::size_t>(i % 2));
  const auto arrivals = rig.receive_all();
  rig.expect("shared link: packets to one of two", static_cast<double>(arrivals.size()), 200, 0);
  const double bits = static_cast<double>(arrivals.size() - 1) * 1500 * 8;
  // The two devices are read in turn, up to 64 packets at a time.
  rig.expect("shared link: half of the rate (Mbit/s)",
             bits / base::seconds(arrivals.back() - arrivals.front()) / 1e6, 2.5, 0.25);
}

/// The first client's packets pass both links; the second's, sent only now, reach the second link
/// before them.
void check_series(Rig& rig) {
  const base::Time begin = base::Clock::now();
  for (int i = 0; i < 100; ++i) rig.send(1500, 0);
  for (int i = 0; i < 100; ++i) rig.send(1500, 1);
  const auto arrivals = rig.receive_all();
  rig.expect("series: packets", static_cast<double>(arrivals.size()), 100, 0);
  // The first link takes 20 ms and a packet's time; the second carries all 200 packets, 2.4 ms
  // each, from the beginning.
  rig.expect("series: last of them (ms)", base::seconds(arrivals.back() - begin) * 1e3, 480, 20);
}

}  // namespace

bool self_check(std::ostream& report) {
  Rig rig{report, {}};
  check_delay(rig);
  check_rate(rig);
  check_rate_step(rig);
  check_loss(rig);
  check_queue(rig);
  check_blackhole(rig);
  const LinkSettings bottleneck = *assign({}, "rate=5M queue=1M");
  Rig two{report, {.clients = 2, .down = {}, .up = {}, .shared = {bottleneck}, .through = {}}};
  check_shared(two);
  Rig series{report,
             {.clients = 2,
              .down = {},
              .up = {},
              .shared = {*assign({}, "rate=10M delay=20ms queue=1M"), bottleneck},
              .through = {{0, 1}, {1}}}};
  check_series(series);
  return rig.all_good() && two.all_good() && series.all_good();
}

}  // namespace netlab
