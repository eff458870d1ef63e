#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "server/acceptor.h"
#include "server/connection.h"
#include "server/counters.h"
#include "server/event_loop.h"
#include "server/handover.h"
#include "server/loop_context.h"
#include "server/places_log.h"

namespace server {

/// One loop thread with its connections and its own copy of every channel. push(), publish() and
/// the const functions are thread-safe; the rest belongs to the thread.
class Worker {
 public:
  Worker(LoopShared& shared, int index);
  ~Worker();

  /// Starts the thread. `acceptor`, or null, runs on it until the worker stops.
  void start(std::unique_ptr<Acceptor> acceptor);
  void join();

  EventLoop& loop() { return loop_; }
  void push(Handover::Event event);
  void publish(media::ChannelId channel, media::PacketPtr packet);

  int connections() const { return connection_count_.load(std::memory_order_relaxed); }
  /// When the loop's timer last ran; at first, when it was started.
  base::Time last_tick() const { return last_tick_.load(std::memory_order_relaxed); }
  void add_to(ServerState& state) const;

 private:
  void add_source(std::unique_ptr<LoopSource> source);
  void run();
  void on_wake();
  void handle(Published& event, base::Time now);
  void handle(ChannelClosed& event, base::Time now);
  void handle(ViewerMoved& event, base::Time now);
  void handle(Accepted& event, base::Time now);
  void handle(Stopping& event, base::Time now);
  void on_housekeeping();
  void check_connections(base::Time now);
  template <typename IsDue>
  void resume_waiting(IsDue is_due, base::Time now);
  void reap();

  Counters counters_;
  Handover handover_;
  std::atomic<int> connection_count_{0};  ///< including those still in the handover
  std::atomic<base::Time> last_tick_{};
  EventLoop loop_;
  LoopContext context_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  TurnQueue<Connection> turns_;  ///< of all connections, to be checked
  EventLoop::RulePtr housekeeping_;
  std::vector<std::unique_ptr<LoopSource>> sources_;
  std::vector<EventLoop::RulePtr> source_rules_;
  std::unique_ptr<Acceptor> acceptor_;
  std::vector<Handover::Event> events_;
  std::vector<std::uint32_t> published_;  ///< streams with packets among the events
  PlacesLog places_log_;                  ///< of the first loop
  std::optional<base::Time> stop_deadline_;
  std::thread thread_;
};

}  // namespace server
