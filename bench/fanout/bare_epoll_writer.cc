// The least work that a live video server over HTTP can do: one send per frame and client, of bytes
// prepared beforehand. The baseline for symcast's fan-out.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/system_error.h"
#include "base/unique_fd.h"

namespace {

constexpr int kFramesPerSecond = 30;
constexpr std::size_t kBitsPerSecond = 2'000'000;
constexpr std::size_t kTsPacketSize = 188;
constexpr std::uint64_t kListenerTag = 0;
constexpr std::uint64_t kTimerTag = 1;

constexpr const char* kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: video/mp2t\r\nTransfer-Encoding: chunked\r\n\r\n";

/// One frame's worth of empty TS packets as an HTTP chunk.
std::string make_chunk() {
  std::string packet(kTsPacketSize, '\xff');
  packet.replace(0, 4, "\x47\x1f\xff\x10", 4);
  const std::size_t packets = kBitsPerSecond / 8 / kFramesPerSecond / kTsPacketSize;
  std::array<char, 32> size;
  std::snprintf(size.data(), size.size(), "%zx\r\n", packets * kTsPacketSize);
  std::string chunk = size.data();
  for (std::size_t i = 0; i < packets; ++i) chunk += packet;
  return chunk + "\r\n";
}

struct Client {
  base::UniqueFd fd;
  bool asked = false;
  std::size_t left = 0;  // unsent bytes of a chunk
};

class Writer {
 public:
  explicit Writer(std::uint16_t port)
      : listener_{base::check("socket", ::socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0))},
        timer_{base::check("timerfd_create", ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK))},
        epoll_{base::check("epoll_create1", ::epoll_create1(0))} {
    const int on = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    base::check("bind", ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address),
                               sizeof address));
    base::check("listen", ::listen(listener_.get(), SOMAXCONN));
    const timespec period{.tv_sec = 0, .tv_nsec = 1'000'000'000 / kFramesPerSecond};
    const itimerspec timing{.it_interval = period, .it_value = period};
    base::check("timerfd_settime", ::timerfd_settime(timer_.get(), 0, &timing, nullptr));
    watch(listener_.get(), kListenerTag);
    watch(timer_.get(), kTimerTag);
  }

  [[noreturn]] void run() {
    for (;;) {
      std::array<epoll_event, 256> events;
      const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) handle(events[static_cast<std::size_t>(i)].data.u64);
    }
  }

 private:
  void watch(int fd, std::uint64_t tag) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = tag}};
    base::check("epoll_ctl", ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event));
  }

  void handle(std::uint64_t tag) {
    if (tag == kListenerTag) return accept_client();
    if (tag == kTimerTag) return tick();
    read_request(tag);
  }

  void accept_client() {
    base::UniqueFd fd{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK)};
    if (!fd) return;
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::uint64_t tag = next_tag_++;
    watch(fd.get(), tag);
    clients_[tag].fd = std::move(fd);
  }

  void read_request(std::uint64_t tag) {
    Client& client = clients_[tag];
    std::array<char, 4096> request;
    if (::recv(client.fd.get(), request.data(), request.size(), 0) <= 0) {
      clients_.erase(tag);
    } else if (!client.asked) {
      client.asked = true;
      ::send(client.fd.get(), kHead, std::char_traits<char>::length(kHead), MSG_NOSIGNAL);
    }
  }

  void tick() {
    std::uint64_t expirations = 0;
    if (::read(timer_.get(), &expirations, sizeof expirations) < 0) return;
    for (auto& [tag, client] : clients_) {
      if (client.asked) send_chunk(client);
    }
  }

  /// A client that is behind finishes its chunk before it gets another one.
  void send_chunk(Client& client) {
    const std::size_t size = client.left > 0 ? client.left : chunk_.size();
    const ssize_t sent = ::send(client.fd.get(), chunk_.data() + chunk_.size() - size, size,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    client.left = size - static_cast<std::size_t>(sent > 0 ? sent : 0);
    if (client.left == chunk_.size()) client.left = 0;
  }

  const std::string chunk_ = make_chunk();
  base::UniqueFd listener_;
  base::UniqueFd timer_;
  base::UniqueFd epoll_;
  std::map<std::uint64_t, Client> clients_;
  std::uint64_t next_tag_ = kTimerTag + 1;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fputs("usage: bare_epoll_writer PORT\n", stderr);
    return 2;
  }
  Writer{static_cast<std::uint16_t>(std::atoi(argv[1]))}.run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "bare_epoll_writer: %s\n", error.what());
  return 1;
}
