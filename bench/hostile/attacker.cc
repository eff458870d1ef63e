// Many HTTP clients that read little, ask too often, or leave at once, from many addresses of
// loopback. Prints what came of it, in JSON.
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/system_error.h"
#include "base/unique_fd.h"
#include "base/units.h"
#include "netlab/chunk_decoder.h"
#include "netlab/http_response.h"

namespace {

/// Between looks at the clock, and so between the openings of kOpenedAtOnce connections.
constexpr int kTickMs = 5;
/// 20,000 a second: more than the backlog of a listening socket has room for between two accepts.
constexpr std::size_t kOpenedAtOnce = 100;
/// A client that leaves at once has asked, and has had time to be answered.
constexpr auto kStay = std::chrono::milliseconds{20};

volatile std::sig_atomic_t stop_asked = 0;

struct Options {
  int port = 0;
  std::string path = "/";
  std::size_t connections = 1;
  std::uint32_t addresses = 1;
  std::uint64_t tokens = 1;
  int pipeline = 1;
  int rcvbuf = 0;
  double read_rate = -1;
  double every = 0;
  double resets = 0;
  double seconds = 10;
  bool again = false;
  bool repeat = false;
};

struct Counts {
  std::uint64_t opened = 0;
  std::uint64_t failed = 0;  ///< did not connect
  std::uint64_t closed = 0;  ///< by the server
  std::uint64_t requests = 0;
  std::uint64_t bytes = 0;
  std::map<int, std::uint64_t> statuses;
};

/// The requests of all clients. {token} in the path becomes one of the tokens, in turn.
class Requests {
 public:
  explicit Requests(const Options& options) : options_{options} {}

  std::string next() {
    std::string result;
    for (int i = 0; i < options_.pipeline; ++i) result += one();
    return result;
  }

 private:
  std::string one() {
    constexpr std::string_view kPlace = "{token}";
    constexpr std::uint64_t kFirst = std::uint64_t{1} << 60;  // 16 hexadecimal digits
    std::string path = options_.path;
    if (const auto at = path.find(kPlace); at != std::string::npos) {
      path.replace(at, kPlace.size(), fmt::format("{:016x}", kFirst + turn_++ % options_.tokens));
    }
    return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  }

  const Options& options_;
  std::uint64_t turn_ = 0;
};

/// Takes responses apart, of which several may follow one another.
class Responses {
 public:
  explicit Responses(Counts& counts) : counts_{counts} {}

  /// Returns how many responses ended in these bytes.
  int feed(std::span<const std::uint8_t> bytes) {
    int ended = 0;
    while (!bytes.empty()) {
      if (!head_.complete()) {
        bytes = bytes.subspan(head_.feed(bytes));
        if (!head_.complete()) return ended;
        begin_body();
      }
      bytes = bytes.subspan(take_body(bytes));
      if (!body_ended()) return ended;
      ++ended;
      head_ = {};
    }
    return ended;
  }

 private:
  void begin_body() {
    ++counts_.statuses[head_.status()];
    const auto length = head_.header("Content-Length");
    left_ = length ? std::stoull(*length) : 0;
    chunks_.reset();
    if (head_.chunked()) {
      chunks_.emplace([](std::span<const std::uint8_t>) {});
    }
  }

  /// A chunked body is the last one whose end is found: streams are, and the server pipelines none.
  std::size_t take_body(std::span<const std::uint8_t> bytes) {
    if (chunks_) {
      chunks_->feed(bytes);
      return bytes.size();
    }
    const auto taken = std::min<std::uint64_t>(left_, bytes.size());
    left_ -= taken;
    return static_cast<std::size_t>(taken);
  }

  bool body_ended() const {
    return chunks_ ? chunks_->state() == netlab::ChunkDecoder::State::kDone : left_ == 0;
  }

  Counts& counts_;
  netlab::HttpResponse head_;
  std::optional<netlab::ChunkDecoder> chunks_;
  std::uint64_t left_ = 0;
};

struct Client {
  explicit Client(Counts& counts) : responses{counts} {}

  base::UniqueFd fd;
  Responses responses;
  std::string unsent;
  base::Time opened{};
  base::Time asked{};
  int awaited = 0;  ///< responses
  std::uint64_t bytes = 0;
  std::uint32_t interest = 0;
};

class Attack {
 public:
  explicit Attack(const Options& options)
      : options_{options},
        requests_{options},
        begin_{base::Clock::now()},
        epoll_{base::check("epoll_create1", ::epoll_create1(EPOLL_CLOEXEC))},
        clients_(options.connections) {}

  void run() {
    const auto end = begin_ + base::from_seconds(options_.seconds);
    for (base::Time now = begin_; now < end && !stop_asked; now = base::Clock::now()) {
      open_due(now);
      if (now >= next_tick_) tick(now);
      std::array<epoll_event, 512> events;
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), kTickMs);
      const base::Time ready = base::Clock::now();
      for (int i = 0; i < count; ++i) on_ready(events[static_cast<std::size_t>(i)], ready);
    }
  }

  nlohmann::json summary() const {
    nlohmann::json statuses = nlohmann::json::object();
    for (const auto& [status, count] : counts_.statuses) statuses[std::to_string(status)] = count;
    const auto open = std::ranges::count_if(clients_, [](const auto& c) { return c != nullptr; });
    return {{"opened", counts_.opened},
            {"failed", counts_.failed},
            {"closed", counts_.closed},
            {"requests", counts_.requests},
            {"bytes", counts_.bytes},
            {"statuses", statuses},
            {"open", open}};
  }

 private:
  bool leaves_at_once() const { return options_.resets > 0; }

  /// Opens the clients that are missing: all of them once, more if they come again.
  void open_due(base::Time now) {
    std::size_t due = kOpenedAtOnce;
    if (leaves_at_once()) {
      const auto all = static_cast<std::uint64_t>(options_.resets * base::seconds(now - begin_));
      due = static_cast<std::size_t>(all - std::min(all, counts_.opened));
    } else if (now < next_opening_) {
      return;
    }
    next_opening_ = now + std::chrono::milliseconds{kTickMs};
    const bool again = options_.again || leaves_at_once();
    for (std::size_t i = 0; i < clients_.size() && due > 0; ++i) {
      if (clients_[i] || (!again && counts_.opened + counts_.failed >= clients_.size())) continue;
      open(i, now);
      --due;
    }
  }

  void open(std::size_t index, base::Time now) {
    auto client = std::make_unique<Client>(counts_);
    client->fd = base::UniqueFd{
        base::check("socket", ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))};
    const int fd = client->fd.get();
    const int on = 1;
    ::setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (options_.rcvbuf > 0) {
      ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &options_.rcvbuf, sizeof options_.rcvbuf);
    }
    const sockaddr_in from = address(2 + turn_++ % options_.addresses, 0);
    const sockaddr_in to = address(1, options_.port);
    base::check("bind", ::bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof from));
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) < 0 &&
        errno != EINPROGRESS) {
      ++counts_.failed;
      return;
    }
    ++counts_.opened;
    client->opened = now;
    clients_[index] = std::move(client);
    ask(*clients_[index], now);
    epoll_event event{.events = clients_[index]->interest = interest(*clients_[index], now),
                      .data = {.u64 = index}};
    base::check("epoll_ctl", ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event));
  }

  static sockaddr_in address(std::uint32_t host, int port) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(static_cast<std::uint16_t>(port));
    result.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
    return result;
  }

  void ask(Client& client, base::Time now) {
    client.unsent += requests_.next();
    client.awaited += options_.pipeline;
    client.asked = now;
    counts_.requests += static_cast<std::uint64_t>(options_.pipeline);
  }

  std::size_t allowance(const Client& client, base::Time now) const {
    constexpr std::size_t kAtOnce = 256 * 1024;
    if (options_.read_rate < 0) return kAtOnce;
    const auto allowed =
        static_cast<std::uint64_t>(options_.read_rate / 8 * base::seconds(now - client.opened));
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(allowed - std::min(allowed, client.bytes), kAtOnce));
  }

  std::uint32_t interest(const Client& client, base::Time now) const {
    std::uint32_t events = EPOLLRDHUP;
    if (!client.unsent.empty()) events |= EPOLLOUT;
    if (allowance(client, now) > 0) events |= EPOLLIN;
    return events;
  }

  void on_ready(const epoll_event& event, base::Time now) {
    const auto index = static_cast<std::size_t>(event.data.u64);
    if (!clients_[index]) return;
    Client& client = *clients_[index];
    const bool ended = (event.events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP)) != 0;
    if ((event.events & EPOLLOUT) != 0) send(client);
    const bool read_all = (event.events & EPOLLIN) == 0 || read(client, now);
    if (ended || !read_all) return drop(index);
    if (client.awaited <= 0 && options_.repeat && options_.every == 0) ask(client, now);
    update(index, now);
  }

  void send(Client& client) {
    const ssize_t sent =
        ::send(client.fd.get(), client.unsent.data(), client.unsent.size(), MSG_NOSIGNAL);
    if (sent > 0) client.unsent.erase(0, static_cast<std::size_t>(sent));
  }

  /// False at the end of the connection.
  bool read(Client& client, base::Time now) {
    static std::array<std::uint8_t, 256 * 1024> buffer;
    const auto room = std::min(buffer.size(), allowance(client, now));
    if (room == 0) return true;
    const ssize_t size = ::recv(client.fd.get(), buffer.data(), room, 0);
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) return false;
    client.bytes += static_cast<std::uint64_t>(size);
    counts_.bytes += static_cast<std::uint64_t>(size);
    client.awaited -=
        client.responses.feed(std::span{buffer}.first(static_cast<std::size_t>(size)));
    return true;
  }

  void drop(std::size_t index) {
    ++counts_.closed;
    clients_[index].reset();
  }

  void update(std::size_t index, base::Time now) {
    Client& client = *clients_[index];
    const std::uint32_t wanted = interest(client, now);
    if (wanted == client.interest) return;
    client.interest = wanted;
    epoll_event event{.events = wanted, .data = {.u64 = index}};
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, client.fd.get(), &event);
  }

  void tick(base::Time now) {
    next_tick_ = now + std::chrono::milliseconds{kTickMs};
    if (!leaves_at_once() && options_.read_rate <= 0 && options_.every == 0) return;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (!clients_[i]) continue;
      Client& client = *clients_[i];
      if (leaves_at_once() && now - client.opened >= kStay) {
        const linger reset{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(client.fd.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        clients_[i].reset();
        continue;
      }
      const bool may_ask = options_.repeat && options_.every > 0 && client.awaited <= 0;
      if (may_ask && now - client.asked >= base::from_seconds(options_.every)) ask(client, now);
      update(i, now);
    }
  }

  const Options& options_;
  Requests requests_;
  const base::Time begin_;
  base::Time next_opening_{};
  base::Time next_tick_{};
  base::UniqueFd epoll_;
  Counts counts_;
  std::uint32_t turn_ = 0;  // of the addresses
  std::vector<std::unique_ptr<Client>> clients_;
};

void declare(CLI::App& cli, Options& options) {
  cli.add_option("port", options.port, "of the server on 127.0.0.1")->required();
  cli.add_option("path", options.path, "to ask for; {token} becomes a token of a session");
  cli.add_option("--connections", options.connections, "at a time");
  cli.add_option("--addresses", options.addresses, "of the clients, from 127.0.0.2 on")
      ->check(CLI::PositiveNumber);
  cli.add_option("--tokens", options.tokens, "number of different tokens")
      ->check(CLI::PositiveNumber);
  cli.add_option("--pipeline", options.pipeline, "requests that a client sends at once");
  cli.add_option("--rcvbuf", options.rcvbuf, "SO_RCVBUF (bytes)");
  cli.add_option("--read-rate", options.read_rate, "of each client, bit/s; 0 reads nothing");
  cli.add_option("--every", options.every, "seconds between the requests of a client");
  cli.add_option("--resets", options.resets, "clients per second that ask and leave at once");
  cli.add_option("--seconds", options.seconds, "until all leave");
  cli.add_flag("--again", options.again, "clients that the server closes come again");
  cli.add_flag("--repeat", options.repeat, "clients ask again after each response");
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App cli{"HTTP clients that attack; prints their counts in JSON"};
  Options options;
  declare(cli, options);
  CLI11_PARSE(cli, argc, argv);
  std::signal(SIGTERM, [](int) { stop_asked = 1; });
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  Attack attack{options};
  attack.run();
  std::cout << attack.summary().dump() << std::endl;
  return 0;
} catch (const std::exception& error) {
  std::cerr << "attacker: " << error.what() << '\n';
  return 2;
}
