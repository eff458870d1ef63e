#include "server/acceptor.h"

#include <event2/listener.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/system_error.h"

namespace server {

namespace {

// The kernel caps it at net.core.somaxconn (4096 by default).
constexpr int kBacklog = 4096;
// Long enough for connections to end, short enough for the backlog to hold who comes meanwhile.
constexpr base::Duration kPause = std::chrono::milliseconds{500};

socklen_t size_of(const sockaddr_storage& address) {
  return address.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

/// The address as system calls take it; they read it as the type its family says.
sockaddr* generic(sockaddr_storage& address) { return reinterpret_cast<sockaddr*>(&address); }

base::UniqueFd open_socket(int family) {
  return base::UniqueFd{socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
}

void on_accept(evconnlistener*, int fd, sockaddr* peer, int size, void* acceptor) noexcept {
  sockaddr_storage address{};
  std::memcpy(&address, peer, std::min(sizeof address, static_cast<std::size_t>(size)));
  static_cast<Acceptor*>(acceptor)->accepted(base::UniqueFd{fd}, address);
}

void on_error(evconnlistener*, void* acceptor) noexcept {
  static_cast<Acceptor*>(acceptor)->failed(errno);
}

}  // namespace

base::UniqueFd listen_on(const Endpoint& endpoint) {
  const std::string attempt = "listen on " + endpoint.text();
  Endpoint bound = endpoint;
  auto fd = open_socket(bound.socket_address().ss_family);
  if (!fd && errno == EAFNOSUPPORT && endpoint.address == Address{}) {
    bound.address = *Address::parse("0.0.0.0");  // a machine without IPv6
    fd = open_socket(AF_INET);
  }
  base::check(attempt, fd.get());
  const int on = 1;
  const int off = 0;
  base::check(attempt, setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
  auto address = bound.socket_address();
  if (address.ss_family == AF_INET6) {
    const int& only = endpoint.address == Address{} ? off : on;
    base::check(attempt, setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only));
  }
  base::check(attempt, bind(fd.get(), generic(address), size_of(address)));
  base::check(attempt, listen(fd.get(), kBacklog));
  return fd;
}

Endpoint bound_endpoint(const base::UniqueFd& listening) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  base::check("getsockname", getsockname(listening.get(), generic(address), &size));
  return Endpoint::of(address);
}

void Acceptor::Free::operator()(evconnlistener* listener) const { evconnlistener_free(listener); }

Acceptor::Acceptor(EventLoop& loop, std::vector<base::UniqueFd> listening, Accept accept,
                   Counter& failures)
    : listening_{std::move(listening)},
      accept_{std::move(accept)},
      resume_{loop.every("resume_accept", kPause, [this] { resume(); })},
      failures_{failures} {
  for (const auto& fd : listening_) {
    listeners_.emplace_back(
        evconnlistener_new(loop.base(), on_accept, this, LEV_OPT_CLOSE_ON_EXEC, 0, fd.get()));
    evconnlistener_set_error_cb(listeners_.back().get(), on_error);
  }
}

Acceptor::~Acceptor() = default;

void Acceptor::accepted(base::UniqueFd fd, const sockaddr_storage& peer) {
  accept_(std::move(fd), Endpoint::of(peer));
}

void Acceptor::failed(int error) {
  for (const auto& listener : listeners_) evconnlistener_disable(listener.get());
  paused_ = true;
  failures_.add();
  if (const auto times = period_.count(base::Clock::now())) {
    base::log::error("accept_failed", {{"error", std::generic_category().message(error)},
                                       {"times", *times},
                                       {"hint",
                                        "accepting pauses; raise LimitNOFILE= of the unit, "
                                        "or ulimit -n"}});
  }
}

void Acceptor::resume() {
  if (!std::exchange(paused_, false)) return;
  for (const auto& listener : listeners_) evconnlistener_enable(listener.get());
}

}  // namespace server
