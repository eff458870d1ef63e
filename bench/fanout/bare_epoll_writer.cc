// The least work that a live video server over HTTP can do: one send per client for one or several
// frames, of bytes prepared beforehand. The baseline for symcast's fan-out. With "io_uring" the
// sends to all clients take a few system calls. The frames have sizes and timestamps, those of
// CLOCK_MONOTONIC, but no pictures.
#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/system_error.h"
#include "base/unique_fd.h"

namespace {

constexpr int kFramesPerSecond = 30;
constexpr std::size_t kBitsPerSecond = 2'000'000;
constexpr std::size_t kTsPacketSize = 188;
constexpr std::size_t kPacketsPerFrame = kBitsPerSecond / 8 / kFramesPerSecond / kTsPacketSize;
constexpr std::uint64_t kListenerTag = 0;
constexpr std::uint64_t kTimerTag = 1;

constexpr const char* kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: video/mp2t\r\nTransfer-Encoding: chunked\r\n\r\n";

/// A transport stream (ISO/IEC 13818-1) of tables and frames of one size.
class Stream {
 public:
  /// The next frame, with the tables before it.
  std::string frame(std::chrono::nanoseconds time) {
    std::string result = tables();
    for (std::size_t i = 0; i < kPacketsPerFrame; ++i) {
      std::string packet(kTsPacketSize, '\0');
      const auto counter = static_cast<char>(0x10 | (video_counter_++ & 15));
      packet.replace(0, 4, {'\x47', static_cast<char>(i == 0 ? 0x41 : 0x01), '\x00', counter});
      if (i == 0) packet.replace(4, 14, pes_header(time));
      result += packet;
    }
    return result;
  }

 private:
  /// PAT and PMT: programme 1 with H.264 on PID 0x100.
  std::string tables() {
    const auto counter = static_cast<char>(0x10 | (table_counter_++ & 15));
    std::string pat{'\x47', '\x40', '\0', counter};
    pat += {"\0\0\xb0\x0d\0\1\xc1\0\0\0\1\xf0\0\x2a\xb1\x04\xb2", 17};
    std::string pmt{'\x47', '\x50', '\0', counter};
    pmt += {"\0\2\xb0\x12\0\1\xc1\0\0\xe1\0\xf0\0\x1b\xe1\0\xf0\0\x15\xbd\x4d\x56", 22};
    pat.resize(kTsPacketSize, '\xff');
    pmt.resize(kTsPacketSize, '\xff');
    return pat + pmt;
  }

  static std::string pes_header(std::chrono::nanoseconds time) {
    const auto ticks = static_cast<std::uint64_t>(time.count()) / 1000 * 9 / 100;
    const auto bits = [ticks](unsigned shift, unsigned mask) {
      return static_cast<unsigned>(ticks >> shift) & mask;
    };
    std::string header{"\0\0\1\xe0\0\0\x80\x80\5", 9};
    for (const unsigned byte : {0x21 | bits(29, 0x0e), bits(22, 0xff), 1 | bits(14, 0xfe),
                                bits(7, 0xff), 1 | bits(0, 0x7f) << 1}) {
      header += static_cast<char>(byte);
    }
    return header;
  }

  unsigned video_counter_ = 0;
  unsigned table_counter_ = 0;
};

std::string as_chunk(const std::string& body) {
  std::array<char, 32> size;
  std::snprintf(size.data(), size.size(), "%zx\r\n", body.size());
  return size.data() + body + "\r\n";
}

struct Client {
  base::UniqueFd fd;
  bool asked = false;
  std::shared_ptr<const std::string> chunk{};  // of which a part is not sent yet
  std::size_t sent = 0;
};

/// Sends to many sockets with one system call. The sends do not block, so that they are done when
/// the call returns.
class BatchedSends {
 public:
  BatchedSends() {
    constexpr unsigned kFlags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
    const int error = io_uring_queue_init(kSendsPerCall, &ring_, kFlags);
    if (error < 0) throw std::system_error{-error, std::generic_category(), "io_uring"};
  }
  ~BatchedSends() { io_uring_queue_exit(&ring_); }
  BatchedSends(const BatchedSends&) = delete;
  BatchedSends& operator=(const BatchedSends&) = delete;

  bool full() const { return waiting_ == kSendsPerCall; }

  void add(Client& client) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_send(entry, client.fd.get(), client.chunk->data() + client.sent,
                       client.chunk->size() - client.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    io_uring_sqe_set_data(entry, &client);
    ++waiting_;
  }

  /// Calls done(client, result of its send) for each.
  template <typename Done>
  void send(Done done) {
    while (waiting_ > 0) {
      const int error = io_uring_submit_and_wait(&ring_, waiting_);
      if (error < 0 && error != -EINTR) {
        throw std::system_error{-error, std::generic_category(), "io_uring"};
      }
      unsigned head = 0;
      unsigned count = 0;
      io_uring_cqe* completion = nullptr;
      io_uring_for_each_cqe(&ring_, head, completion) {
        done(*static_cast<Client*>(io_uring_cqe_get_data(completion)), completion->res);
        ++count;
      }
      io_uring_cq_advance(&ring_, count);
      waiting_ -= count;
    }
  }

 private:
  static constexpr unsigned kSendsPerCall = 512;
  io_uring ring_{};
  unsigned waiting_ = 0;
};

class Writer {
 public:
  Writer(std::uint16_t port, int frames_per_write, bool batched)
      : frames_per_write_{frames_per_write},
        listener_{base::check("socket", ::socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0))},
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
    if (batched) batched_.emplace();
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
    pending_ += stream_.frame(std::chrono::steady_clock::now().time_since_epoch());
    if (++frames_ % frames_per_write_ != 0) return;
    const auto chunk = std::make_shared<const std::string>(as_chunk(std::exchange(pending_, {})));
    for (auto& [tag, client] : clients_) {
      if (client.asked) send_chunk(client, chunk);
    }
    if (batched_) batched_->send(count_sent);
  }

  /// A client that is behind finishes its chunk, and gets none of this one.
  void send_chunk(Client& client, const std::shared_ptr<const std::string>& chunk) {
    if (!client.chunk) client.chunk = chunk;
    if (batched_) {
      if (batched_->full()) batched_->send(count_sent);
      return batched_->add(client);
    }
    count_sent(client, ::send(client.fd.get(), client.chunk->data() + client.sent,
                              client.chunk->size() - client.sent, MSG_NOSIGNAL | MSG_DONTWAIT));
  }

  static void count_sent(Client& client, ssize_t sent) {
    client.sent += static_cast<std::size_t>(sent > 0 ? sent : 0);
    if (client.sent > 0 && client.sent < client.chunk->size()) return;
    client.chunk.reset();
    client.sent = 0;
  }

  const int frames_per_write_;
  std::optional<BatchedSends> batched_;
  Stream stream_;
  std::string pending_;
  int frames_ = 0;
  base::UniqueFd listener_;
  base::UniqueFd timer_;
  base::UniqueFd epoll_;
  std::map<std::uint64_t, Client> clients_;
  std::uint64_t next_tag_ = kTimerTag + 1;
};

}  // namespace

int main(int argc, char** argv) try {
  const bool batched = argc == 4 && std::string_view{argv[3]} == "io_uring";
  if (argc != 3 && !batched) {
    std::fputs("usage: bare_epoll_writer PORT FRAMES-PER-WRITE [io_uring]\n", stderr);
    return 2;
  }
  Writer{static_cast<std::uint16_t>(std::atoi(argv[1])), std::max(1, std::atoi(argv[2])), batched}
      .run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "bare_epoll_writer: %s\n", error.what());
  return 1;
}
