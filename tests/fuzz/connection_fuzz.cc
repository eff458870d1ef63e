#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/target.h"
#include "server/connection.h"
#include "server/counters.h"
#include "server/event_loop.h"
#include "server/loop_context.h"

// One connection over a socket pair, with a client that sends, reads and closes when it wants. The
// input is a list of actions: a byte whose low bits are the Action, and for kSend its length.

namespace {

using namespace std::chrono_literals;
using server::HttpRequestParser;

enum class Action : std::uint8_t { kSend, kRead, kEndInput, kWait, kResume, kTick, kStop, kVanish };
constexpr unsigned kActions = 8;

constexpr std::size_t kBigBody = 200'000;  // more than a socket takes at once

/// A response in two parts: the second after a wait, as that of a segment to come.
class LateResponse final : public server::StreamingResponse {
 public:
  Chunk next(server::ResponseConnection& /*connection*/, base::Time /*now*/) override {
    Chunk chunk;
    switch (turn_++) {
      case 0:
        return chunk;
      case 1:
        chunk.head.emplace();
        chunk.body = {server::SharedBytes::of(std::string(kBigBody, 'x'))};
        return chunk;
      case 2:
        return chunk;
      default:
        chunk.body = {server::SharedBytes::of(std::string{"end"})};
        chunk.complete = true;
        return chunk;
    }
  }

 private:
  int turn_ = 0;
};

class FailingResponse final : public server::StreamingResponse {
 public:
  Chunk next(server::ResponseConnection& /*connection*/, base::Time /*now*/) override {
    throw std::runtime_error{"fails"};
  }
};

class State final : public server::ConnectionState {
 public:
  bool on_tick(const server::ResponseConnection& connection, base::Time /*now*/) override {
    CHECK(connection.fd >= 0, connection.fd);
    return false;
  }
};

class Handler final : public server::Handler {
 public:
  std::variant<server::Admission, server::Refusal> admit(const server::ViewerRequest& request,
                                                         base::Time /*now*/) override {
    if (request.stream == "fails") throw std::runtime_error{"fails"};
    if (request.stream == "waits" && ++waited_ % 3 != 0) return server::Refusal{.wait = true};
    if (request.stream == "no") return server::Refusal{404, "no"};
    return server::Admission{};
  }

  std::unique_ptr<server::StreamingResponse> respond(const server::HandlerRequest& request,
                                                     server::ResponseConnection& connection,
                                                     base::Time /*now*/) override {
    if (request.path == "/throws") throw std::runtime_error{"fails"};
    if (request.path == "/fails") return std::make_unique<FailingResponse>();
    if (request.path == "/state") connection.state = std::make_unique<State>();
    if (request.path == "/late" || request.path == "/state")
      return std::make_unique<LateResponse>();
    return nullptr;
  }

 private:
  unsigned waited_ = 0;
};

server::Settings settings() {
  server::Settings settings;
  settings.max_header = base::ByteCount{512};
  settings.max_viewers = 1;
  settings.proxy_protocol = {*server::Network::parse("192.0.2.2")};
  settings.cors_allow = {*server::Origin::parse("https://a.example")};
  return settings;
}

/// Both ends of a connection.
class Session {
 public:
  explicit Session(bool proxied) {
    std::array<int, 2> ends{};
    CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
    client_.reset(ends[0]);
    const auto peer = *server::Endpoint::parse(proxied ? "192.0.2.2:5000" : "192.0.2.1:5000");
    auto slot = shared_.connections.take(peer.address);
    connection_ = std::make_unique<server::Connection>(
        context_,
        server::Accepted{base::UniqueFd{ends[1]}, peer,
                         std::get<server::Slots::Slot>(std::move(slot))},
        now_);
    proxied_ = proxied;
    shared_.pages.add("/page", server::Access::kPublic, [](const server::PageRequest&) {
      return server::Page{.body = server::SharedBytes::of(std::string(kBigBody, 'p'))};
    });
  }

  void act(Action action, fuzz::Input& input) {
    switch (action) {
      case Action::kSend:
        send(input.take_bytes(input.take<std::uint8_t>()));
        break;
      case Action::kRead:
        read();
        break;
      case Action::kEndInput:
        ::shutdown(client_.get(), SHUT_WR);
        break;
      case Action::kWait:
        now_ += 3s;
        if (open()) connection_->check_times(now_);
        break;
      case Action::kResume:
        if (context_.waiting.contains(connection_.get())) connection_->resume(now_);
        break;
      case Action::kTick:
        if (context_.stateful.contains(connection_.get())) connection_->tick(now_);
        break;
      case Action::kStop:
        if (open()) connection_->stop(now_);
        break;
      case Action::kVanish:
        client_.reset();
        break;
    }
    turn();
    check_held();
  }

  /// After the end nothing is left. The client reads to the end before.
  void end() {
    for (int i = 0; open() && i < kMaxEndTurns; ++i) {
      read();
      now_ += 1s;
      if (context_.waiting.contains(connection_.get())) connection_->resume(now_);
      if (open()) connection_->check_times(now_);
      turn();
    }
    if (open()) connection_->abort(now_);
    read();
    check_responses();
    connection_.reset();
    CHECK(context_.waiting.empty() && context_.stateful.empty() && context_.sessions.empty());
    CHECK(shared_.connections.taken() == 0, shared_.connections.taken());
    CHECK(shared_.viewers.taken() == 0, shared_.viewers.taken());
  }

 private:
  // A client that reads all the time has got everything by then.
  static constexpr int kMaxEndTurns = 64;

  /// Responses do not rest, because for how long depends on the clock.
  void turn() {
    context_.responses.end_rest();
    loop_.turn();
  }

  bool open() const { return context_.closed.empty(); }

  void check_held() const {
    CHECK(context_.waiting.size() <= 1 && context_.stateful.size() <= 1);
    CHECK(context_.closed.size() <= 1, context_.closed.size());
    if (!open()) CHECK(context_.waiting.empty() && context_.stateful.empty());
  }

  void send(std::string_view bytes) {
    if (!client_) return;
    const auto taken = ::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (taken > 0) sent_ += bytes.substr(0, static_cast<std::size_t>(taken));
  }

  void read() {
    std::array<char, 16 * 1024> buffer;
    while (client_) {
      const auto got = ::recv(client_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) return;
      received_.append(buffer.data(), static_cast<std::size_t>(got));
      turn();
    }
  }

  /// One response for each request, each whole, and at most one more, which refuses what was sent.
  void check_responses() const;

  Handler handler_;
  server::LoopShared shared_{settings(), handler_};
  server::EventLoop loop_{[] {}};
  server::Counters counters_;
  server::LoopContext context_{shared_, loop_, counters_, 0};
  base::UniqueFd client_;
  std::unique_ptr<server::Connection> connection_;
  base::Time now_ = base::Clock::now();
  bool proxied_ = false;
  std::string sent_;
  std::string received_;
};

/// The head that `text` begins with, and what follows it; no head if it is not whole.
std::string_view take_head(std::string_view& text) {
  const auto end = text.find("\r\n\r\n");
  if (end == text.npos) return {};
  const auto head = text.substr(0, end + 4);
  text.remove_prefix(head.size());
  return head;
}

std::size_t number_after(std::string_view head, std::string_view name, int base = 10) {
  const auto at = head.find(name);
  std::size_t number = 0;
  if (at == head.npos) return 0;
  const auto digits = head.substr(at + name.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  return number;
}

/// Takes a body in chunks. Returns false if it is not whole.
bool take_chunks(std::string_view& text) {
  for (;;) {
    const auto line = text.find("\r\n");
    if (line == text.npos) return false;
    const auto size = number_after(text, {}, 16);
    if (text.size() < line + 2 + size + 2) return false;
    CHECK(text.substr(line + 2 + size, 2) == "\r\n", text.substr(0, 40));
    text.remove_prefix(line + 2 + size + 2);
    if (size == 0) return true;
  }
}

/// Takes a response. Returns false if it is not whole, or ends with the connection.
bool take_response(std::string_view& text, bool head_only) {
  const auto head = take_head(text);
  if (head.empty()) return false;
  CHECK(head.starts_with("HTTP/1."), head);
  if (head_only) return true;
  if (head.find("\r\nTransfer-Encoding: chunked\r\n") != head.npos) return take_chunks(text);
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  if (head.find(kLength) == head.npos) return false;
  const auto length = number_after(head, kLength);
  if (text.size() < length) return false;
  text.remove_prefix(length);
  return true;
}

void Session::check_responses() const {
  if (proxied_) return;  // the header is a target of its own
  std::string_view requests = sent_, responses = received_;
  for (;;) {
    HttpRequestParser parser{512};
    const auto [status, consumed] = parser.feed(requests);
    requests.remove_prefix(consumed);
    const bool head = status == HttpRequestParser::Status::kComplete &&
                      parser.take().method == server::HttpRequest::Method::kHead;
    if (!take_response(responses, head)) break;
    if (status != HttpRequestParser::Status::kComplete) break;
  }
  CHECK(responses.find("HTTP/1.", 1) == responses.npos, responses.substr(0, 80));
}

}  // namespace

FUZZ_TARGET(connection) {
  Session session{(input.take<std::uint8_t>() & 1) == 1};
  while (!input.empty()) {
    session.act(static_cast<Action>(input.take<std::uint8_t>() % kActions), input);
  }
  session.end();
}
