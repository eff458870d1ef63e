#include "server/acceptor.h"

#include <event2/listener.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace server {

namespace {

// How long accepting pauses. Shorter leaves too little time for descriptors to become free; with a
// longer pause the listen backlog may overflow.
constexpr base::Duration kAcceptPause = std::chrono::milliseconds{500};

void on_accept(evconnlistener*, int fd, sockaddr* peer, int size, void* acceptor) noexcept {
  sockaddr_storage address{};
  std::memcpy(&address, peer, std::min(sizeof address, static_cast<std::size_t>(size)));
  static_cast<Acceptor*>(acceptor)->accepted(base::UniqueFd{fd}, address);
}

void on_error(evconnlistener*, void* acceptor) noexcept {
  static_cast<Acceptor*>(acceptor)->failed(errno);
}

}  // namespace

void Acceptor::Free::operator()(evconnlistener* listener) const { evconnlistener_free(listener); }

Acceptor::Acceptor(EventLoop& loop, std::vector<base::UniqueFd> listening, Accept accept,
                   Counter& failures)
    : listening_{std::move(listening)},
      accept_{std::move(accept)},
      resume_{loop.every("resume_accept", kAcceptPause, [this] { resume(); })},
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
                                        "accepting connections pauses; raise LimitNOFILE= of the "
                                        "systemd unit, or ulimit -n"}});
  }
}

void Acceptor::resume() {
  if (!std::exchange(paused_, false)) return;
  for (const auto& listener : listeners_) evconnlistener_enable(listener.get());
}

}  // namespace server
