#include "netlab/connection.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "base/system_error.h"

namespace netlab {
namespace {

struct Url {
  std::string authority;  // host and port as written
  std::string host;
  std::string port = "80";
  std::string path = "/";
};

Url parse_url(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) throw std::runtime_error{"not an HTTP URL: " + url};
  Url parsed;
  const std::size_t slash = std::min(url.find('/', kScheme.size()), url.size());
  parsed.authority = url.substr(kScheme.size(), slash - kScheme.size());
  if (slash < url.size()) parsed.path = url.substr(slash);
  parsed.host = parsed.authority;
  const std::size_t colon = parsed.host.rfind(':');
  if (colon != std::string::npos && parsed.host.find(']', colon) == std::string::npos) {
    parsed.port = parsed.host.substr(colon + 1);
    parsed.host.resize(colon);
  }
  if (parsed.host.starts_with('[') && parsed.host.ends_with(']')) {
    parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
  }
  return parsed;
}

}  // namespace

Target resolve(const std::string& text) {
  const Url url = parse_url(text);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found)) {
    throw std::runtime_error{url.host + ": " + ::gai_strerror(error)};
  }
  Target target{.address_size = found->ai_addrlen, .host = url.authority, .path = url.path};
  std::memcpy(&target.address, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return target;
}

Connection::Connection(const Target& target, Settings settings, Body body, base::Time now)
    : settings_{settings},
      body_{std::move(body)},
      fd_{base::check("socket", ::socket(target.address.ss_family,
                                         SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))},
      request_{"GET " + target.path + (settings.http_1_0 ? " HTTP/1.0" : " HTTP/1.1") +
               "\r\nHost: " + target.host + "\r\nUser-Agent: ts_client\r\n\r\n"},
      state_{.started = now},
      chunks_{[this](std::span<const std::uint8_t> bytes) { body_(bytes, now_); }} {
  if (settings_.rcvbuf) {
    const int size = *settings_.rcvbuf;
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }
  if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&target.address),
                target.address_size) < 0 &&
      errno != EINPROGRESS) {
    close(now, errno);
  }
}

std::uint32_t Connection::interest(base::Time now) const {
  std::uint32_t events = 0;
  if (!request_.empty()) events |= EPOLLOUT;
  if (allowance(now) > 0) events |= EPOLLIN;
  return events;  // epoll always reports EPOLLERR and EPOLLHUP, so a reset shows without reading
}

std::size_t Connection::allowance(base::Time now) const {
  const base::Duration elapsed = now - state_.started;
  if (settings_.stop_after && elapsed >= *settings_.stop_after) return 0;
  if (!settings_.read_rate) return kReadSize;
  const auto allowed = static_cast<std::uint64_t>((*settings_.read_rate * elapsed).bytes());
  if (allowed < state_.bytes + settings_.read_piece) return 0;
  return std::min<std::size_t>(allowed - state_.bytes, kReadSize);
}

void Connection::on_ready(base::Time now) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return close(now, error);
  if (!request_.empty()) send_request();
  if (allowance(now) > 0) read(now);
}

void Connection::send_request() {
  const ssize_t sent = ::send(fd_.get(), request_.data(), request_.size(), MSG_NOSIGNAL);
  if (sent > 0) request_.erase(0, static_cast<std::size_t>(sent));
}

void Connection::read(base::Time now) {
  static std::array<std::uint8_t, kReadSize> buffer;
  const bool discard = settings_.discard && response_.complete();
  // On TCP, MSG_TRUNC drops the bytes in the kernel, which saves a load generator the copy.
  const ssize_t size = ::recv(fd_.get(), buffer.data(), allowance(now), discard ? MSG_TRUNC : 0);
  if (size < 0 && errno == EAGAIN) return;
  if (size <= 0) return close(now, size < 0 ? errno : 0);
  state_.bytes += static_cast<std::uint64_t>(size);
  if (!state_.first_byte) state_.first_byte = now;
  if (!discard) take(std::span{buffer}.first(static_cast<std::size_t>(size)), now);
}

void Connection::take(std::span<const std::uint8_t> bytes, base::Time now) {
  now_ = now;
  if (!response_.complete()) {
    bytes = bytes.subspan(response_.feed(bytes));
    if (!response_.complete()) return;
    state_.status = response_.status();
    state_.chunked = response_.chunked();
  }
  if (settings_.discard || bytes.empty()) return;
  if (state_.chunked) {
    chunks_.feed(bytes);
    const auto state = chunks_.state();
    if (state == ChunkDecoder::State::kDone || state == ChunkDecoder::State::kBroken) close(now, 0);
  } else {
    body_(bytes, now);
  }
}

void Connection::close(base::Time now, int error) {
  state_.closed = now;
  if (error != 0) state_.error = std::strerror(error);
  if (chunks_.state() == ChunkDecoder::State::kBroken) state_.error = "broken chunk";
  state_.complete = error == 0 && response_.complete() &&
                    (!state_.chunked || chunks_.state() == ChunkDecoder::State::kDone);
  fd_.reset();
}

}  // namespace netlab
