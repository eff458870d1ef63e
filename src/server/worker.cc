#include "server/worker.h"

#include <pthread.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "base/log.h"

namespace server {

namespace {

// Media time a channel's packets may wait for a loop, as long as in a viewer's queue by default.
constexpr base::Duration kMaxHandoverBacklog = std::chrono::seconds{1};
// A loop's only periodic timer. Waiting audio frames need the shortest interval.
constexpr base::Duration kTickInterval = GroupChannel::kMaxAudioWait;
// Each connection's deadlines are checked every 250 ms, precise enough for timeouts of seconds.
constexpr std::size_t kTicksPerCheck = 5;
// At most this number of connections is checked per tick: it takes 2 ms, in which no frame is sent.
// With more than five times as many, deadlines are checked less often.
constexpr std::size_t kMaxChecksPerTick = 2000;
// At most this number of connections is looked at in the kernel per tick: it takes 3 ms. With more
// busy connections, each is looked at less often, and rates follow their links more slowly.
constexpr std::size_t kMaxLooksPerTick = 500;
// Connections still open after this time are closed at once, so that the server stops within a
// second.
constexpr base::Duration kStopTimeout = std::chrono::milliseconds{800};

/// Returns `packet` with a reference count of this loop's own. Every viewer takes and drops a
/// reference, and a count shared by all loops would move from core to core each time.
media::PacketPtr counted_here(media::PacketPtr packet) {
  const auto* address = packet.get();
  return {address, [keep = std::move(packet)](const media::Packet*) {}};
}

}  // namespace

Worker::Worker(LoopShared& shared, int index)
    : handover_{kMaxHandoverBacklog},
      loop_{[this] { on_wake(); }},
      context_{shared, loop_, counters_, index} {}

Worker::~Worker() { join(); }

void Worker::start(std::unique_ptr<Acceptor> acceptor) {
  acceptor_ = std::move(acceptor);
  last_tick_ = base::Clock::now();
  for (auto& source : context_.shared.handler.loop_sources(context_.index))
    add_source(std::move(source));
  housekeeping_ = loop_.every("housekeeping", kTickInterval, [this] { on_housekeeping(); });
  thread_ = std::thread{[this] { run(); }};
}

void Worker::join() {
  if (thread_.joinable()) thread_.join();
}

void Worker::push(Handover::Event event) {
  if (std::holds_alternative<Accepted>(event)) ++connection_count_;
  if (handover_.push(std::move(event))) loop_.wake();
}

void Worker::publish(media::ChannelId channel, media::PacketPtr packet) {
  if (handover_.publish(channel, std::move(packet))) loop_.wake();
}

void Worker::add_to(ServerState& state) const {
  counters_.add_to(state);
  state.packets_lost_in_handover += handover_.packets_lost();
  state.frames_per_write = std::max(state.frames_per_write, context_.merging.used());
}

void Worker::add_source(std::unique_ptr<LoopSource> source) {
  source_rules_.push_back(loop_.when_ready(
      source->name(), source->fd(),
      [source = source.get()](EventLoop::Ready) { source->on_readable(base::Clock::now()); }));
  sources_.push_back(std::move(source));
}

void Worker::run() {
  pthread_setname_np(pthread_self(), ("loop" + std::to_string(context_.index)).c_str());
  loop_.run();
  acceptor_.reset();
  connections_.clear();
  context_.channels.clear();
  handover_.take(events_);
  events_.clear();
}

void Worker::on_wake() {
  reap();
  handover_.take(events_);
  const auto now = base::Clock::now();
  for (auto& event : events_) {
    std::visit([&](auto& e) { handle(e, now); }, event);
  }
  resume_waiting(
      [this](const StreamingResponse::Wait& wait) {
        return wait.stream && std::ranges::find(published_, *wait.stream) != published_.end();
      },
      now);
  published_.clear();
  events_.clear();
}

template <typename IsDue>
void Worker::resume_waiting(IsDue is_due, base::Time now) {
  std::vector<Connection*> due;
  for (const auto& [connection, wait] : context_.waiting) {
    if (is_due(wait)) due.push_back(connection);
  }
  for (Connection* connection : due) connection->resume(now);
}

void Worker::handle(Published& event, base::Time now) {
  event.item.packet = counted_here(std::move(event.item.packet));
  context_.channel(event.channel).publish(event.item, now);
  if (context_.waiting.empty()) return;
  if (std::ranges::find(published_, event.channel.stream) == published_.end()) {
    published_.push_back(event.channel.stream);
  }
}

void Worker::handle(ChannelClosed& event, base::Time now) {
  const auto channel = context_.channels.find(event.channel);
  if (channel == context_.channels.end()) return;
  channel->second->close(now);
  context_.channels.erase(channel);
}

void Worker::handle(ViewerMoved& event, base::Time now) {
  const auto session = context_.sessions.find(event.viewer);
  if (session == context_.sessions.end()) return;
  session->second->move(event.channel, event.at, now);
}

void Worker::handle(Accepted& event, base::Time now) {
  auto connection = std::make_unique<Connection>(context_, std::move(event), now);
  if (stop_deadline_) connection->stop(now);
  turns_.insert(connection.get());
  connections_.emplace(connection.get(), std::move(connection));
}

void Worker::handle(Stopping&, base::Time now) {
  acceptor_.reset();
  stop_deadline_ = now + kStopTimeout;
  for (auto& [key, connection] : connections_) connection->stop(now);
  reap();
}

void Worker::on_housekeeping() {
  const auto now = base::Clock::now();
  last_tick_.store(now, std::memory_order_relaxed);
  for (auto& [id, channel] : context_.channels) channel->check_time(now);
  context_.stateful.take_turns(
      context_.stateful.size(), kMaxLooksPerTick,
      [now](Connection& connection) { return connection.tick(now) ? std::size_t{1} : 0; });
  resume_waiting(
      [now](const StreamingResponse::Wait& wait) {
        const bool due = wait.until && now >= *wait.until;
        return due || (wait.count && wait.count->load(std::memory_order_relaxed) != wait.seen);
      },
      now);
  context_.held.take_turns(context_.held.size(), context_.held.size(),
                           [now](Connection& connection) {
                             connection.try_to_release(now);
                             return std::size_t{1};
                           });
  context_.crowded.take_turns(context_.crowded.size(), context_.crowded.size(),
                              [now](Connection& connection) {
                                connection.resume(now);
                                return std::size_t{1};
                              });
  context_.pace.forget_idle(now);
  check_connections(now);
  reap();
}

void Worker::check_connections(base::Time now) {
  const auto share = (turns_.size() + kTicksPerCheck - 1) / kTicksPerCheck;
  const auto most = stop_deadline_ ? turns_.size() : std::min(share, kMaxChecksPerTick);
  turns_.take_turns(most, most, [now](Connection& connection) {
    connection.check_times(now);
    return std::size_t{1};
  });
  if (context_.index == 0) places_log_.report(context_.shared.viewers.state(), now);
  if (stop_deadline_ && now >= *stop_deadline_) {
    for (auto& [key, connection] : connections_) connection->abort(now);
  }
}

void Worker::reap() {
  for (Connection* connection : std::exchange(context_.closed, {})) {
    turns_.erase(connection);
    connections_.erase(connection);
    --connection_count_;
  }
  if (stop_deadline_ && connections_.empty()) loop_.stop();
}

}  // namespace server
