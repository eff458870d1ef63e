#include "server/server.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/log.h"
#include "server/acceptor.h"
#include "server/counters.h"
#include "server/listen.h"
#include "server/loop_context.h"
#include "server/worker.h"

namespace server {

namespace {

// A loop whose last tick is older counts as hung. That is 100 ticks, and no work of a loop takes a
// tenth of it.
constexpr base::Duration kMaxTickAge = std::chrono::seconds{5};

}  // namespace

class Server::Impl {
 public:
  Impl(Settings settings, Handler& handler) : shared_{std::move(settings), handler} {
    const int count = loop_count(shared_.settings);
    for (int i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(shared_, i));
  }

  ~Impl() { stop(); }

  PageTable& pages() { return shared_.pages; }

  void start(std::vector<base::UniqueFd> listening) {
    for (const auto& fd : listening) listening_.push_back(bound_endpoint(fd));
    auto acceptor = std::make_unique<Acceptor>(
        workers_.front()->loop(), std::move(listening),
        [this](base::UniqueFd fd, const Endpoint& peer) { assign(std::move(fd), peer); },
        accept_failures_);
    running_ = true;
    for (auto& worker : workers_) worker->start(std::exchange(acceptor, nullptr));
  }

  const std::vector<Endpoint>& listening() const { return listening_; }

  void stop() {
    if (!std::exchange(running_, false)) return;
    for (auto& worker : workers_) worker->push(Stopping{});
    for (auto& worker : workers_) worker->join();
  }

  void publish(media::ChannelId channel, const media::PacketPtr& packet) {
    for (auto& worker : workers_) worker->publish(channel, packet);
  }

  template <typename Event>
  void push_to_all(const Event& event) {
    for (auto& worker : workers_) worker->push(event);
  }

  ServerState state() const {
    ServerState state;
    for (const auto& worker : workers_) worker->add_to(state);
    state.connections_refused += refused_.value();
    state.accept_failures = accept_failures_.value();
    state.places = shared_.viewers.state();
    state.unread = shared_.output.held().bytes();
    state.clients = shared_.connections.taken() + shared_.viewers.taken();
    return state;
  }

  bool alive(base::Time now) const {
    return std::all_of(workers_.begin(), workers_.end(), [now](const auto& worker) {
      return now - worker->last_tick() < kMaxTickAge;
    });
  }

 private:
  /// Hands a connection to the loop with the fewest. Called on the accepting loop's thread.
  void assign(base::UniqueFd fd, const Endpoint& peer) {
    auto slot = shared_.connections.take(peer.address);
    if (const auto* full = std::get_if<Slots::Full>(&slot)) return refuse(peer, *full);
    const auto least_loaded = std::min_element(
        workers_.begin(), workers_.end(),
        [](const auto& a, const auto& b) { return a->connections() < b->connections(); });
    (*least_loaded)->push(Accepted{std::move(fd), peer, std::get<Slots::Slot>(std::move(slot))});
  }

  void refuse(const Endpoint& peer, Slots::Full full) {
    refused_.add();
    if (const auto times = refusals_.count(base::Clock::now())) {
      base::log::warning("connections_refused",
                         {{"times", *times}, {"last", peer.text()}, {"hint", hint(full)}});
    }
  }

  static const char* hint(Slots::Full full) {
    return full == Slots::Full::kInAll ? "raise server.max_viewers"
                                       : "raise server.max_viewers_per_address";
  }

  LoopShared shared_;
  Counter refused_;
  Counter accept_failures_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Endpoint> listening_;
  bool running_ = false;
  base::LogPeriod refusals_;
};

Server::Server(Settings settings, Handler& handler)
    : impl_{std::make_unique<Impl>(std::move(settings), handler)} {}
Server::~Server() = default;

void Server::add_page(std::string path, Access access, PageHandler handler) {
  impl_->pages().add(std::move(path), access, std::move(handler));
}

void Server::start(std::vector<base::UniqueFd> listening) { impl_->start(std::move(listening)); }
std::vector<Endpoint> Server::listening() const { return impl_->listening(); }
void Server::stop() { impl_->stop(); }

void Server::publish(media::ChannelId channel, const media::PacketPtr& packet) {
  if (!packet->ts.empty()) impl_->publish(channel, packet);
}

void Server::close_channel(media::ChannelId channel) { impl_->push_to_all(ChannelClosed{channel}); }

void Server::move_viewer(ViewerId viewer, media::ChannelId channel, media::Pts at) {
  impl_->push_to_all(ViewerMoved{viewer, channel, at});
}

ServerState Server::state() const { return impl_->state(); }
bool Server::alive(base::Time now) const { return impl_->alive(now); }

}  // namespace server
