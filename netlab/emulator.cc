#include "netlab/emulator.h"

#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <ostream>
#include <string_view>

#include "base/system_error.h"

namespace netlab {
namespace {

constexpr std::uint64_t kControlTag = ~0ull;
constexpr std::uint64_t kTimerTag = ~1ull;
constexpr std::uint64_t kSignalTag = ~2ull;
/// Packets read from one TUN before the next one gets its turn.
constexpr int kReadBatch = 64;
constexpr std::size_t kMtu = 1500;

std::string address(std::size_t client, int host) {
  return "10.77." + std::to_string(client) + "." + std::to_string(host);
}

/// The client of an IPv4 packet on the way down: its destination, at byte 16, is 10.77.CLIENT.2.
std::size_t client_of(const IpPacket& packet) {
  return packet.bytes.size() < 20 ? ~0u : packet.bytes[18];
}

std::string namespace_path(const NetworkNamespace& name_space) {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(name_space.fd());
}

nlohmann::json to_json(const LinkCounters& c) {
  return {{"packets_in", c.packets_in},
          {"bytes_in", c.bytes_in},
          {"packets_out", c.packets_out},
          {"bytes_out", c.bytes_out},
          {"dropped_queue", c.dropped_queue},
          {"dropped_codel", c.dropped_codel},
          {"dropped_loss", c.dropped_loss},
          {"dropped_burst", c.dropped_burst},
          {"dropped_blackhole", c.dropped_blackhole},
          {"late", c.late},
          {"queue_high_water", c.queue_high_water.bytes()}};
}

base::UniqueFd open_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return base::UniqueFd{base::check("signalfd", ::signalfd(-1, &set, SFD_CLOEXEC))};
}

}  // namespace

std::uint64_t flow_of(const IpPacket& packet) {
  constexpr std::size_t kProtocol = 9;
  constexpr std::size_t kAddresses = 12;
  constexpr std::size_t kPorts = 20;  // there are no options
  if (packet.bytes.size() < kPorts + 4) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(packet.bytes.data()),
                               packet.bytes.size()};
  return std::hash<std::string_view>{}(bytes.substr(kAddresses, kPorts + 4 - kAddresses)) +
         packet.bytes[kProtocol];
}

Emulator::Emulator(Settings settings)
    : settings_{std::move(settings)},
      epoll_{base::check("epoll_create1", ::epoll_create1(EPOLL_CLOEXEC))},
      timer_{base::check("timerfd_create", ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC))},
      signals_{open_signals()} {
  for (std::size_t i = 0; i < settings_.clients; ++i) paths_.push_back(make_path(i));
  for (const LinkSettings& link : settings_.shared) {
    shared_.emplace_back(link, settings_.seed + 2 * paths_.size() + shared_.size());
  }
  std::ranges::stable_sort(settings_.schedule, {}, [](const auto& entry) { return entry.first; });
}

Emulator::Path Emulator::make_path(std::size_t index) const {
  auto name_space = std::make_unique<NetworkNamespace>();
  base::UniqueFd near = open_tun(server_, "link" + std::to_string(index), address(index, 1));
  base::UniqueFd far = open_tun(*name_space, "link", address(index, 2));
  const std::uint64_t seed = settings_.seed + (settings_.alike ? 0 : 2 * index);
  std::array<Direction, 2> directions{
      Direction{near.get(), far.get(), Link<IpPacket>{settings_.down, seed}},
      Direction{far.get(), near.get(), Link<IpPacket>{settings_.up, seed + 1}}};
  return {std::move(name_space), through(index), std::move(near), std::move(far),
          std::move(directions)};
}

std::vector<std::size_t> Emulator::through(std::size_t client) const {
  if (client < settings_.through.size()) return settings_.through[client];
  std::vector<std::size_t> all(settings_.shared.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void Emulator::watch(int fd, std::uint64_t tag) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = tag}};
  base::check("epoll_ctl", ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event));
}

void Emulator::run(int control, std::ostream& answers) {
  watch(control, kControlTag);
  watch(timer_.get(), kTimerTag);
  watch(signals_.get(), kSignalTag);
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    watch(paths_[i].server_tun.get(), 2 * i);
    watch(paths_[i].client_tun.get(), 2 * i + 1);
  }
  started_ = base::Clock::now();
  for (bool running = true; running;) {
    arm_timer();
    std::array<epoll_event, 64> events;
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      running = handle(events[static_cast<std::size_t>(i)], control, answers) && running;
    }
    const base::Time now = base::Clock::now();
    run_schedule(now);
    deliver(now);
  }
}

bool Emulator::handle(const epoll_event& event, int control, std::ostream& answers) {
  if (event.data.u64 == kControlTag) return read_control(control, answers);
  if (event.data.u64 == kSignalTag) return false;
  if (event.data.u64 == kTimerTag) {
    std::uint64_t expirations = 0;
    return ::read(timer_.get(), &expirations, sizeof expirations) >= 0;
  }
  Path& path = paths_[event.data.u64 / 2];
  const std::size_t way = event.data.u64 % 2;
  Direction& direction = path.directions[way];
  read_packets(direction.from, way == 0 ? first_link_down(path) : direction.link);
  return true;
}

Link<IpPacket>& Emulator::first_link_down(Path& path) {
  return path.through.empty() ? path.directions[0].link : shared_[path.through.front()];
}

bool Emulator::read_control(int control, std::ostream& answers) {
  std::array<char, 4096> buffer;
  const ssize_t size = ::read(control, buffer.data(), buffer.size());
  if (size <= 0) return false;
  partial_line_.append(buffer.data(), static_cast<std::size_t>(size));
  for (std::size_t end; (end = partial_line_.find('\n')) != std::string::npos;) {
    const std::string line = partial_line_.substr(0, end);
    partial_line_.erase(0, end + 1);
    if (!obey(line, answers)) return false;
  }
  return true;
}

bool Emulator::obey(const std::string& line, std::ostream& answers) {
  if (line == "quit") return false;
  if (line == "stats") {
    answers << counters() << std::endl;
    return true;
  }
  const auto command = parse_command(line);
  nlohmann::json answer{{"ok", line}};
  if (!command) {
    answer = {{"error", command.error()}};
  } else if (command->client && *command->client >= paths_.size()) {
    answer = {{"error", "no such client: " + line}};
  } else {
    apply(*command, base::Clock::now());
  }
  answers << answer.dump() << std::endl;
  return true;
}

void Emulator::apply(const Command& command, base::Time now) {
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (command.client && *command.client != i) continue;
    for (std::size_t d = 0; d < 2; ++d) {
      if (d == 0 ? !command.down : !command.up) continue;
      Link<IpPacket>& link = paths_[i].directions[d].link;
      link.set(*assign(link.settings(), command.assignments), now);
    }
  }
}

void Emulator::run_schedule(base::Time now) {
  while (schedule_done_ < settings_.schedule.size() &&
         started_ + settings_.schedule[schedule_done_].first <= now) {
    apply(settings_.schedule[schedule_done_++].second, now);
  }
}

void Emulator::read_packets(int from, Link<IpPacket>& link) {
  std::array<std::uint8_t, kMtu> buffer;
  for (int i = 0; i < kReadBatch; ++i) {
    const ssize_t size = ::read(from, buffer.data(), buffer.size());
    if (size <= 0) return;
    link.enqueue({{buffer.begin(), buffer.begin() + size}}, base::Clock::now());
  }
}

void Emulator::deliver(base::Time now) {
  for (std::size_t i = 0; i < shared_.size(); ++i) pass_on(i, now);
  for (Path& path : paths_) {
    for (Direction& direction : path.directions) {
      while (const auto packet = direction.link.dequeue(now)) {
        if (::write(direction.to, packet->bytes.data(), packet->bytes.size()) < 0)
          ++direction.write_failures;
      }
    }
  }
}

/// Moves each arrived packet to its next link. Later shared links are processed after this one.
void Emulator::pass_on(std::size_t link, base::Time now) {
  while (auto packet = shared_[link].dequeue(now)) {
    const std::size_t client = client_of(*packet);
    if (client >= paths_.size()) continue;
    Path& path = paths_[client];
    const auto next = std::ranges::upper_bound(path.through, link);
    (next == path.through.end() ? path.directions[0].link : shared_[*next])
        .enqueue(*std::move(packet), now);
  }
}

void Emulator::arm_timer() {
  std::optional<base::Time> next;
  const auto consider = [&next](base::Time time) { next = next ? std::min(*next, time) : time; };
  for (const Link<IpPacket>& link : shared_) {
    if (const auto arrival = link.next_arrival()) consider(*arrival);
  }
  for (const Path& path : paths_) {
    for (const Direction& direction : path.directions) {
      if (const auto arrival = direction.link.next_arrival()) consider(*arrival);
    }
  }
  if (schedule_done_ < settings_.schedule.size()) {
    consider(started_ + settings_.schedule[schedule_done_].first);
  }
  itimerspec spec{};  // zero: disarmed
  if (next) {
    const std::int64_t at = next->time_since_epoch().count();
    spec.it_value = {.tv_sec = at / 1'000'000'000, .tv_nsec = at % 1'000'000'000};
  }
  base::check("timerfd_settime",
              ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &spec, nullptr));
}

std::string Emulator::description() const {
  nlohmann::json clients = nlohmann::json::array();
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    clients.push_back({{"netns", namespace_path(*paths_[i].name_space)},
                       {"address", address(i, 2)},
                       {"server_address", address(i, 1)}});
  }
  return nlohmann::json{{"server", namespace_path(server_)}, {"clients", clients}}.dump();
}

std::string Emulator::counters() const {
  nlohmann::json clients = nlohmann::json::array();
  for (const Path& path : paths_) {
    nlohmann::json directions;
    for (std::size_t d = 0; d < 2; ++d) {
      const Direction& direction = path.directions[d];
      auto& entry = directions[d == 0 ? "down" : "up"] = to_json(direction.link.counters());
      entry["write_failures"] = direction.write_failures;
    }
    clients.push_back(std::move(directions));
  }
  nlohmann::json shared = nlohmann::json::array();
  for (const Link<IpPacket>& link : shared_) shared.push_back(to_json(link.counters()));
  return nlohmann::json{{"clients", clients}, {"shared", shared}}.dump();
}

}  // namespace netlab
