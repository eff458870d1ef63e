#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "http_client.h"
#include "server/full_response.h"
#include "server/listen.h"
#include "server/reading_pace.h"
#include "server/server.h"
#include "tcpinfo/delivery.h"
#include "tcpinfo/socket_control.h"

/// Records of all viewers by the fake handler, and how it behaves.
struct Seen {
  std::atomic<int> joins{0};
  std::atomic<int> ticks{0};
  std::atomic<bool> asks{false};  ///< every tick asks for a call kSampleDelay later
  std::atomic<int> dues{0};       ///< such calls
  std::atomic<int> early{0};      ///< such calls before that time, or without a request
  std::atomic<int> leaves{0};
  std::atomic<int> observers{0};  ///< that exist now
  std::atomic<int> responses{0};  ///< that exist now
  std::atomic<int> state_ticks{0};
  std::atomic<int> nodelay{-1};
  std::atomic<int> user_timeout{-1};          ///< ms
  std::atomic<int> notsent_lowat{16 * 1024};  ///< bytes, for the next viewer's socket
  std::atomic<bool> takes_frames{true};
  std::atomic<int> frames_ahead{0};  ///< frames that departed after the tick that showed them
  std::atomic<bool> marks{false};    ///< marks every frame's write
  std::atomic<std::size_t> head{0};  ///< bytes of each write to mark on their own
  std::atomic<int> waits{0};         ///< calls that made a viewer of "late" wait
  std::atomic<bool> begun{false};    ///< "late" has begun
  std::atomic<std::uint64_t> changes{7};
  std::atomic<bool> late_ends{false};  ///< "late" lets nobody wait any longer
  std::mutex mutex;
  std::map<server::ViewerId, server::ViewerRequest> requests;  // GUARDED_BY(mutex)
  std::map<server::ViewerId, server::ViewerState> viewers;  ///< at the last tick; GUARDED_BY(mutex)
  std::set<std::thread::id> threads;      ///< that served the page "/thread"; GUARDED_BY(mutex)
  std::vector<server::SentFrame> frames;  ///< of marked writes; GUARDED_BY(mutex)
  std::vector<std::uint64_t> reported;    ///< ends of marked writes; GUARDED_BY(mutex)
  std::vector<std::string> paths;         ///< of requests that reached it; GUARDED_BY(mutex)
};

class FakeObserver : public server::ViewerObserver {
 public:
  explicit FakeObserver(Seen& seen) : seen_{seen} { ++seen_.observers; }
  ~FakeObserver() override { --seen_.observers; }
  void on_join(const server::ViewerTick& tick) override {
    tcpinfo::set_notsent_lowat(tick.fd, base::ByteCount{seen_.notsent_lowat});
    seen_.nodelay = tcp_option(tick.fd, TCP_NODELAY);
    seen_.user_timeout = tcp_option(tick.fd, TCP_USER_TIMEOUT);
    if (seen_.marks) reports_ = tcpinfo::DeliveryReports::enable(tick.fd, sent(tick));
    ++seen_.joins;
  }
  std::optional<base::Time> on_tick(const server::ViewerTick& tick) override {
    {
      std::lock_guard lock{seen_.mutex};
      seen_.viewers[tick.state.id] = tick.state;
    }
    ++seen_.ticks;
    if (seen_.takes_frames) take_frames(tick);
    if (!seen_.asks) return {};
    return asked_for_ = tick.now + kSampleDelay;
  }
  std::optional<base::Time> on_sample_due(const server::ViewerTick& tick) override {
    if (!asked_for_ || tick.now < *asked_for_) ++seen_.early;
    asked_for_.reset();
    ++seen_.dues;
    return {};
  }
  bool may_wait() const override { return false; }
  server::TxTimestampRequest tx_timestamps(base::ByteCount size, base::Time) override {
    const auto head = size.bytes() > static_cast<std::int64_t>(seen_.head) ? seen_.head.load() : 0;
    return {.end = seen_.marks, .head = head};
  }
  void on_error_queue(const server::ViewerTick& tick) override {
    if (!reports_) return;
    std::lock_guard lock{seen_.mutex};
    reports_->read(tick.fd, sent(tick),
                   [&](const tcpinfo::Delivery& d) { seen_.reported.push_back(d.end); });
  }
  void on_leave(const server::ViewerTick&, server::LeaveReason) override { ++seen_.leaves; }

  static constexpr base::Duration kSampleDelay = std::chrono::milliseconds{100};

 private:
  void take_frames(const server::ViewerTick& tick) {
    std::lock_guard lock{seen_.mutex};
    tick.sent.take_all([&](const server::SentFrame& frame) {
      if (frame.departed > tick.now) ++seen_.frames_ahead;
      if (seen_.marks) seen_.frames.push_back(frame);
    });
  }

  static int tcp_option(int fd, int option) {
    int value = -1;
    socklen_t size = sizeof value;
    getsockopt(fd, IPPROTO_TCP, option, &value, &size);
    return value;
  }

  static std::uint64_t sent(const server::ViewerTick& tick) {
    return static_cast<std::uint64_t>(tick.state.sent.bytes());
  }

  Seen& seen_;
  std::optional<base::Time> asked_for_;
  std::optional<tcpinfo::DeliveryReports> reports_;
};

/// Sends "begun", and "ended" once it is called again after its wait.
class WaitingResponse : public server::StreamingResponse {
 public:
  WaitingResponse(std::atomic<int>& alive, Wait wait) : alive_{alive}, wait_{wait} { ++alive_; }
  ~WaitingResponse() override { --alive_; }
  Chunk next(server::ResponseConnection&, base::Time) override {
    switch (calls_++) {
      case 0:
        return {.head = server::ResponseHead{}, .body = {server::SharedBytes::of("begun")}};
      case 1:
        return {};
      default:
        return {.head = {}, .body = {server::SharedBytes::of("ended")}, .complete = true};
    }
  }
  Wait wait() const override { return wait_; }

 private:
  std::atomic<int>& alive_;
  const Wait wait_;
  int calls_ = 0;
};

class CountingState : public server::ConnectionState {
 public:
  explicit CountingState(std::atomic<int>& ticks) : ticks_{ticks} {}
  bool on_tick(const server::ResponseConnection&, base::Time) override {
    ++ticks_;
    return false;
  }

 private:
  std::atomic<int>& ticks_;
};

/// Waits for 50 ms, then gives the connection a state and is complete.
class StatefulResponse : public server::StreamingResponse {
 public:
  explicit StatefulResponse(std::atomic<int>& ticks) : ticks_{ticks} {}
  Chunk next(server::ResponseConnection& connection, base::Time) override {
    if (!std::exchange(waited_, true)) return {};
    connection.state = std::make_unique<CountingState>(ticks_);
    return {.head = server::ResponseHead{.length = 0}, .body = {}, .complete = true};
  }
  Wait wait() const override { return {.stream = {}, .until = base::Time::min()}; }

 private:
  std::atomic<int>& ticks_;
  bool waited_ = false;
};

/// Every 50 ms sends more than a socket takes, without end.
class EndlessResponse : public server::StreamingResponse {
 public:
  explicit EndlessResponse(std::atomic<int>& alive) : alive_{alive} { ++alive_; }
  ~EndlessResponse() override { --alive_; }
  Chunk next(server::ResponseConnection&, base::Time now) override {
    Chunk step;
    if (until_ == base::Time{}) step.head = server::ResponseHead{};
    if (now < until_) return step;
    step.body.push_back(server::SharedBytes::of(std::string(kSize, 'x')));
    until_ = now + std::chrono::milliseconds{50};
    return step;
  }
  Wait wait() const override { return {.until = until_}; }

  static constexpr std::size_t kSize = 8'000'000;

 private:
  std::atomic<int>& alive_;
  base::Time until_{};
};

/// Has the stream "live", whose viewers begin on channel {0, 0}, the stream "late", which is the
/// same once it has begun, the stream "broken", whose encoder cannot be opened, and responses that
/// wait for a packet, a time or a change, have no end, expire, or fail.
class FakeHandler : public server::Handler {
 public:
  std::optional<server::Refusal> refusal(const server::ViewerRequest& request,
                                         base::Time) override {
    if (request.stream != "never") return {};
    return server::Refusal{404, "never"};
  }

  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest& request,
                                                         base::Time) override {
    if (request.stream == "broken") throw std::runtime_error{"no thread"};
    if (request.stream == "late" && !seen.begun) {
      if (!seen.late_ends) ++seen.waits;
      return server::Refusal{503, "too late", !seen.late_ends};
    }
    if (request.stream != "live" && request.stream != "late")
      return server::Refusal{404, "no stream \"" + request.stream + "\""};
    std::lock_guard lock{seen.mutex};
    seen.requests[request.id] = request;
    return server::Admission{{0, 0}, std::make_unique<FakeObserver>(seen)};
  }

  bool is_for_admins(std::string_view path) const override { return path == "/for-admins"; }

  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request,
                                                     server::ResponseConnection&,
                                                     base::Time now) override {
    {
      std::lock_guard lock{seen.mutex};
      seen.paths.emplace_back(request.path);
    }
    if (request.path == "/packet") {
      return std::make_unique<WaitingResponse>(seen.responses,
                                               server::StreamingResponse::Wait{.stream = 0});
    }
    if (request.path == "/time") {
      return std::make_unique<WaitingResponse>(
          seen.responses,
          server::StreamingResponse::Wait{.until = now + std::chrono::milliseconds{100}});
    }
    if (request.path == "/change") {
      return std::make_unique<WaitingResponse>(
          seen.responses, server::StreamingResponse::Wait{.count = &seen.changes, .seen = 7});
    }
    if (request.path == "/endless") return std::make_unique<EndlessResponse>(seen.responses);
    if (request.path == "/state") return std::make_unique<StatefulResponse>(seen.state_ticks);
    if (request.path == "/expiring") {
      return server::respond_with(
          server::full_response({.finish_within = std::chrono::milliseconds{100}},
                                {server::SharedBytes::of(std::string(20'000'000, 'x'))}));
    }
    if (request.path == "/throws") throw std::runtime_error{"no answer"};
    return nullptr;
  }

  Seen seen;
};

/// A server on loopback ports chosen by the kernel. Its timeouts are too long to matter; a test of
/// one sets that one.
class RunningServer : public testing::Test {
 protected:
  static constexpr media::ChannelId kChannel{0, 0};
  static constexpr media::ChannelId kOther{0, 1};

  RunningServer() {
    settings_.listen = {*server::Endpoint::parse("127.0.0.1:0")};
    settings_.threads = 2;
    settings_.header_timeout = settings_.stall_timeout = std::chrono::hours{1};
    settings_.admin_allow = {*server::Network::parse("127.0.0.0/8")};
    settings_.admin_hosts = {*server::HostName::parse("x")};
  }

  /// Starts a server with the present `settings_`.
  void start() {
    using server::SharedBytes;
    server_ = std::make_unique<server::Server>(settings_, handler_);
    server_->add_page("/", server::Access::kPublic, [](const server::PageRequest&) {
      return server::Page{.body = SharedBytes::permanent("hello\n")};
    });
    server_->add_page("/lasting", server::Access::kPublic, [](const server::PageRequest& request) {
      return server::Page{.body = SharedBytes::permanent(request.gzip ? "packed" : "plain"),
                          .cache_control = "max-age=60",
                          .fields = {"Vary: Accept-Encoding"}};
    });
    server_->add_page("/large", server::Access::kPublic, [this](const server::PageRequest&) {
      return server::Page{.body = large_, .media = true};
    });
    server_->add_page("/small", server::Access::kPublic, [](const server::PageRequest&) {
      return server::Page{.body = SharedBytes::of(std::string(40'000, 'x'))};
    });
    server_->add_page("/admin", server::Access::kAdmin, [](const server::PageRequest&) {
      return server::Page{.body = SharedBytes::permanent("secret\n")};
    });
    server_->add_page("/thread", server::Access::kPublic, [this](const server::PageRequest&) {
      std::lock_guard lock{handler_.seen.mutex};
      handler_.seen.threads.insert(std::this_thread::get_id());
      return server::Page{};
    });
    server_->add_page("/hang", server::Access::kPublic, [this](const server::PageRequest&) {
      hangs_ = true;
      hang_.wait(true);
      return server::Page{};
    });
    server_->start(server::listen_on(settings_.listen));
    endpoint_ = server_->listening().front();
  }

  void TearDown() override {
    server_.reset();
    EXPECT_EQ(handler_.seen.observers, 0);
    EXPECT_EQ(handler_.seen.joins, handler_.seen.leaves);
  }

  static bool eventually(const std::function<bool()>& condition) {
    const auto deadline = base::Clock::now() + std::chrono::seconds{60};
    while (!condition()) {
      if (base::Clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return true;
  }

  /// Viewers that have joined and not left.
  std::uint64_t viewers() const {
    const auto state = server_->state();
    return std::accumulate(state.left.begin(), state.left.end(), state.joined, std::minus{});
  }

  bool viewers_are(std::uint64_t count) {
    return eventually([&] { return viewers() == count; });
  }

  bool left_by(server::LeaveReason reason) {
    return eventually([&] { return server_->state().left[static_cast<std::size_t>(reason)] > 0; });
  }

  /// Connections reset for this reason.
  std::uint64_t too_slow(server::TooSlow reason) const {
    return server_->state().too_slow[static_cast<std::size_t>(reason)];
  }

  static bool is_reset(const HttpClient& client) {
    return eventually([&] {
      int error = 0;
      socklen_t size = sizeof error;
      getsockopt(client.fd(), SOL_SOCKET, SO_ERROR, &error, &size);
      return error == ECONNRESET;
    });
  }

  server::Settings settings_;
  const server::SharedBytes large_ =
      server::SharedBytes::of(std::string(20'000'000, 'x'));  ///< the page "/large"
  FakeHandler handler_;
  std::atomic<bool> hang_{true};    ///< "/hang" blocks its loop
  std::atomic<bool> hangs_{false};  ///< it does
  std::unique_ptr<server::Server> server_;
  server::Endpoint endpoint_;
};
