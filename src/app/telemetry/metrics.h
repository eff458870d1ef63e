#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "abr/reason.h"
#include "app/tcp/frame_deliveries.h"
#include "app/tcp/socket_steering.h"
#include "tcpinfo/congestion_event.h"

namespace prometheus {
class Collectable;
class Counter;
class Histogram;
class Registry;
}  // namespace prometheus

namespace app {

/// The metrics that events drive; the others are read from State when scraped (StateCollector).
/// Handles are looked up once per stream and then only incremented. Thread-safe.
class Metrics {
 public:
  /// Events of one stream; its series last as long as somebody has it.
  class Stream {
   public:
    void congestion_event(tcpinfo::EventKind kind, tcpinfo::EventSource source);
    /// From a pushed event to the new target of the encoder.
    void retargeted(double seconds_since_event);
    /// Counts what changed a viewer's rate: retractions and restores, by reason.
    void decision(abr::Reason reason);
    void frame_delivered(double delay_seconds, FrameDelivery::Source source);
    /// Before a decision has used it.
    void delivery_unused();
    void ssthresh_hint(SocketSteering::SsthreshHint hint);
    void joined(double seconds_to_first_frame);

   private:
    friend class Metrics;
    using EventCounters = std::array<prometheus::Counter*, tcpinfo::kEventKinds>;

    EventCounters pushed_{};  ///< by EventKind; null where events are polled
    EventCounters polled_{};
    prometheus::Histogram* event_to_retarget_ = nullptr;
    std::array<prometheus::Counter*, SocketSteering::kSsthreshHints>
        ssthresh_hints_{};  ///< by SsthreshHint
    /// null: no change of rate
    std::array<prometheus::Counter*, abr::kReasonCount> rate_changes_{};
    prometheus::Counter* timed_by_timestamp_ = nullptr;
    prometheus::Counter* timed_by_tcp_info_ = nullptr;
    prometheus::Counter* unused_ = nullptr;
    prometheus::Histogram* delivery_delay_ = nullptr;
    prometheus::Histogram* join_time_ = nullptr;
  };

  explicit Metrics(tcpinfo::EventSource events);
  ~Metrics();

  /// The same for the same name while it lasts; not longer than these Metrics.
  std::shared_ptr<Stream> stream(const std::string& name);

  /// The text format of Prometheus: these metrics and those of `states`.
  std::string text(const prometheus::Collectable& states) const;

 private:
  struct Families;
  struct Shared {
    std::unique_ptr<Stream> stream;
    std::size_t holders = 0;
  };

  std::unique_ptr<Stream> add_series(const std::string& name);
  Stream::EventCounters add_events(const std::string& stream, tcpinfo::EventSource source);
  void release(const std::string& name);

  const tcpinfo::EventSource events_;
  std::unique_ptr<prometheus::Registry> registry_;
  std::unique_ptr<Families> families_;
  std::mutex mutex_;
  std::map<std::string, Shared> streams_;  // GUARDED_BY(mutex_)
};

}  // namespace app
