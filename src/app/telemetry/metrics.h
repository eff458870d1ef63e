#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "abr/congestion_control.h"
#include "abr/networks/network_history.h"
#include "abr/reason.h"
#include "app/tcp/frame_deliveries.h"
#include "app/tcp/socket_steering.h"
#include "base/units.h"
#include "tcpinfo/congestion_event.h"

namespace prometheus {
class Collectable;
class Counter;
class Histogram;
class Registry;
}  // namespace prometheus

namespace app {

/// The metrics that are updated by events; StateCollector reads the others when scraped. Handles
/// are looked up once per stream and then only incremented. Thread-safe.
class Metrics {
  struct Families;

 public:
  /// The delays of a stream's viewers of one format.
  class Delays {
   public:
    Delays(prometheus::Histogram& delivery, prometheus::Histogram& join)
        : delivery_{delivery}, join_{join} {}
    /// `delay`: docs/METRICS.md says from when to when.
    void frame_delivered(base::Duration delay);
    void joined(base::Duration until_first_frame);

   private:
    friend class Metrics;
    prometheus::Histogram& delivery_;
    prometheus::Histogram& join_;
  };

  /// The metrics of one stream. Its series are removed when its last holder releases it.
  class Stream {
   public:
    Stream(Families& families, std::string name) : families_{families}, name_{std::move(name)} {}

    void congestion_event(tcpinfo::EventKind kind, tcpinfo::EventSource source);
    /// Observes the time from a pushed event to the encoder's new target.
    void retargeted(double seconds_since_event);
    /// Counts changes of a viewer's rate, decreases and increases, by reason.
    void decision(abr::Reason reason);
    /// The delivery of a frame of an endless response has been timed.
    void frame_timed(FrameDelivery::Source source);
    /// A delivery time was dropped before any decision used it.
    void delivery_unused();
    void ssthresh_hint(SocketSteering::SsthreshHint hint);
    void congestion_control_changed(abr::CongestionControl to);
    /// A connection with tcp.congestion_control = "auto" has begun.
    void automatic_start(const abr::NetworkHistory::Start& start);
    /// The delays of viewers of `format`, such as "ts" or "hls". They live as long as this object.
    Delays& delays(std::string_view format);
    /// Frames of a segment player are left out.
    void segment_discard();
    /// BBR begins again on a connection of a segment player.
    void bbr_restart();
    /// Adds data segments that viewers' connections have sent.
    void segments(std::uint32_t sent, std::uint32_t retransmitted);

   private:
    friend class Metrics;
    using EventCounters = std::array<prometheus::Counter*, tcpinfo::kEventKinds>;

    Families& families_;
    const std::string name_;
    EventCounters pushed_{};  ///< by EventKind; null if events are polled
    EventCounters polled_{};
    prometheus::Histogram* event_to_retarget_ = nullptr;
    std::array<prometheus::Counter*, SocketSteering::kSsthreshHintCount>
        ssthresh_hints_{};  ///< by SsthreshHint
    std::array<prometheus::Counter*, abr::kCongestionControlCount>
        control_changes_{};  ///< by CongestionControl
    std::array<std::array<prometheus::Counter*, abr::NetworkHistory::kReasonCount>,
               abr::kCongestionControlCount>
        automatic_starts_{};  ///< by CongestionControl and Reason
    std::array<prometheus::Counter*, abr::kReasonCount>
        rate_changes_{};  ///< by Reason; null if it changes no rate
    prometheus::Counter* timed_by_timestamp_ = nullptr;
    prometheus::Counter* timed_by_tcp_info_ = nullptr;
    prometheus::Counter* unused_ = nullptr;
    prometheus::Counter* segment_discards_ = nullptr;
    prometheus::Counter* bbr_restarts_ = nullptr;
    prometheus::Counter* segments_sent_ = nullptr;
    prometheus::Counter* segments_retransmitted_ = nullptr;
    std::mutex mutex_;
    std::map<std::string, Delays> delays_;  ///< by format. GUARDED_BY(mutex_)
  };

  explicit Metrics(tcpinfo::EventSource events);
  ~Metrics();

  /// Returns the metrics of the stream `name`, shared with its other holders. Release them before
  /// this object is destroyed.
  std::shared_ptr<Stream> stream(const std::string& name);

  /// Returns these metrics and those of `states` in the text format of Prometheus.
  std::string text(const prometheus::Collectable& states) const;

 private:
  struct SharedStream {
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
  std::map<std::string, SharedStream> streams_;  // GUARDED_BY(mutex_)
};

}  // namespace app
