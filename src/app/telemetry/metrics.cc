#include "app/telemetry/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>

#include "app/telemetry/names.h"

namespace app {

namespace {

// All buckets are in seconds. Delivery: from a frame on loopback to a viewer that is given up,
// finest at the targets: 100 ms (live latency on loopback), 200 ms (late), 500 ms (itcp on a slow
// link).
const prometheus::Histogram::BucketBoundaries kDeliveryDelayBuckets{
    0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10};
// Retarget: from a wake-up on an idle machine (30 µs) to an overloaded machine; the target is 5 ms.
const prometheus::Histogram::BucketBoundaries kRetargetDelayBuckets{
    0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1};
// Join: from loopback to a path that takes seconds to carry the first keyframe.
// HLS and DASH have to wait for the first segments of an encoder that starts.
const prometheus::Histogram::BucketBoundaries kJoinTimeBuckets{0.02, 0.05, 0.1, 0.15, 0.2, 0.3,
                                                               0.5,  1,    2,   5,    10};

prometheus::Family<prometheus::Counter>& counters(prometheus::Registry& registry,
                                                  const std::string& name,
                                                  const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Histogram>& histograms(prometheus::Registry& registry,
                                                      const std::string& name,
                                                      const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

constexpr auto kDecreaseReasons = {abr::Reason::kRexmt, abr::Reason::kDupack,
                                   abr::Reason::kCapacity, abr::Reason::kBacklog,
                                   abr::Reason::kReader};
constexpr auto kIncreaseReasons = {abr::Reason::kRestore, abr::Reason::kStep};

}  // namespace

struct Metrics::Families {
  explicit Families(prometheus::Registry& registry)
      : events{counters(registry, "symcast_congestion_events_total",
                        "Congestion events of viewers' connections, by kind and by the source "
                        "that reported them")},
        retarget{
            histograms(registry, "symcast_event_to_retarget_seconds",
                       "Time from a pushed congestion event in the kernel to the new rate target "
                       "of the viewer's private group")},
        ssthresh_hints{
            counters(registry, "symcast_ssthresh_hints_total",
                     "Viewers by the result of their ssthresh hint, which ends slow start")},
        control_changes{
            counters(registry, "symcast_congestion_control_changes_total",
                     "Changes of a viewer's congestion control with tcp.congestion_control = "
                     "\"auto\", by the new one")},
        automatic_starts{
            counters(registry, "symcast_congestion_control_starts_total",
                     "Connections that began with tcp.congestion_control = \"auto\", by what they "
                     "began with and why: nothing is known of the network, it was the best there, "
                     "or it is tried there")},
        rate_decreases{
            counters(registry, "symcast_rate_decreases_total", "Rate decreases by reason")},
        restores{counters(registry, "symcast_rate_increases_total", "Rate increases by reason")},
        delivered{counters(
            registry, "symcast_frames_delivered_total",
            "Frames of endless responses acknowledged by viewers, by the source of "
            "the delivery time: timestamp (exact) or tcp_info (seen at the next "
            "frame). Frames seen later, such as most frames of calm viewers, are not counted")},
        unused{counters(registry, "symcast_delivery_times_unused_total",
                        "Delivery times that no decision used, because "
                        "telemetry.samples_per_second is too low")},
        segment_discards{counters(registry, "symcast_segment_discards_total",
                                  "Times that frames of an HLS or DASH player were left out, "
                                  "because their part would have arrived too late")},
        bbr_restarts{counters(registry, "symcast_segment_bbr_restarts_total",
                              "Times that BBR was started again on a connection of an HLS or DASH "
                              "player, because it no longer measured the path")},
        sent{counters(registry, "symcast_tcp_segments_sent_total",
                      "Data segments sent on viewers' connections")},
        retransmitted{counters(registry, "symcast_tcp_segments_retransmitted_total",
                               "Part of symcast_tcp_segments_sent_total that were sent again")},
        delay{histograms(registry, "symcast_frame_delivery_delay_seconds",
                         "Time from a frame's capture to the acknowledgement of its last byte. Of "
                         "HLS and DASH, for the last frame of each part that the player waited "
                         "for, and from the request if that came later")},
        join{histograms(registry, "symcast_join_seconds",
                        "Time from a viewer's first request to the acknowledgement of its first "
                        "frame, or of HLS and DASH of its first part")} {}

  prometheus::Family<prometheus::Counter>& events;
  prometheus::Family<prometheus::Histogram>& retarget;
  prometheus::Family<prometheus::Counter>& ssthresh_hints;
  prometheus::Family<prometheus::Counter>& control_changes;
  prometheus::Family<prometheus::Counter>& automatic_starts;
  prometheus::Family<prometheus::Counter>& rate_decreases;
  prometheus::Family<prometheus::Counter>& restores;
  prometheus::Family<prometheus::Counter>& delivered;
  prometheus::Family<prometheus::Counter>& unused;
  prometheus::Family<prometheus::Counter>& segment_discards;
  prometheus::Family<prometheus::Counter>& bbr_restarts;
  prometheus::Family<prometheus::Counter>& sent;
  prometheus::Family<prometheus::Counter>& retransmitted;
  prometheus::Family<prometheus::Histogram>& delay;
  prometheus::Family<prometheus::Histogram>& join;
};

Metrics::Metrics(tcpinfo::EventSource events)
    : events_{events},
      registry_{std::make_unique<prometheus::Registry>()},
      families_{std::make_unique<Families>(*registry_)} {}
Metrics::~Metrics() = default;

std::shared_ptr<Metrics::Stream> Metrics::stream(const std::string& name) {
  std::lock_guard lock{mutex_};
  auto& shared = streams_[name];
  if (!shared.stream) shared.stream = add_series(name);
  ++shared.holders;
  return {shared.stream.get(), [this, name](Stream*) { release(name); }};
}

std::unique_ptr<Metrics::Stream> Metrics::add_series(const std::string& name) {
  auto s = std::make_unique<Stream>(*families_, name);
  s->polled_ = add_events(name, tcpinfo::EventSource::kTcpInfo);
  if (events_ != tcpinfo::EventSource::kTcpInfo) s->pushed_ = add_events(name, events_);
  for (std::size_t i = 0; i < s->ssthresh_hints_.size(); ++i) {
    const auto* result = app::name(static_cast<SocketSteering::SsthreshHint>(i));
    s->ssthresh_hints_[i] = &families_->ssthresh_hints.Add({{"stream", name}, {"result", result}});
  }
  for (std::size_t i = 0; i < s->control_changes_.size(); ++i) {
    const auto* to = abr::name(static_cast<abr::CongestionControl>(i));
    s->control_changes_[i] = &families_->control_changes.Add({{"stream", name}, {"to", to}});
    for (std::size_t j = 0; j < s->automatic_starts_[i].size(); ++j) {
      const auto* reason = abr::name(static_cast<abr::NetworkHistory::Reason>(j));
      s->automatic_starts_[i][j] = &families_->automatic_starts.Add(
          {{"stream", name}, {"congestion_control", to}, {"reason", reason}});
    }
  }
  s->event_to_retarget_ = &families_->retarget.Add({{"stream", name}}, kRetargetDelayBuckets);
  const auto counted = [&](auto& family, std::initializer_list<abr::Reason> reasons) {
    for (const auto reason : reasons) {
      s->rate_changes_[static_cast<std::size_t>(reason)] =
          &family.Add({{"stream", name}, {"reason", abr::name(reason)}});
    }
  };
  counted(families_->rate_decreases, kDecreaseReasons);
  counted(families_->restores, kIncreaseReasons);
  const auto timed_by = [&](FrameDelivery::Source source) {
    return &families_->delivered.Add({{"stream", name}, {"source", app::name(source)}});
  };
  s->timed_by_timestamp_ = timed_by(FrameDelivery::Source::kTimestamp);
  s->timed_by_tcp_info_ = timed_by(FrameDelivery::Source::kTcpInfo);
  s->unused_ = &families_->unused.Add({{"stream", name}});
  s->segment_discards_ = &families_->segment_discards.Add({{"stream", name}});
  s->bbr_restarts_ = &families_->bbr_restarts.Add({{"stream", name}});
  s->segments_sent_ = &families_->sent.Add({{"stream", name}});
  s->segments_retransmitted_ = &families_->retransmitted.Add({{"stream", name}});
  return s;
}

Metrics::Stream::EventCounters Metrics::add_events(const std::string& stream,
                                                   tcpinfo::EventSource source) {
  Stream::EventCounters counters;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] =
        &families_->events.Add({{"stream", stream},
                                {"kind", tcpinfo::name(static_cast<tcpinfo::EventKind>(i))},
                                {"source", tcpinfo::name(source)}});
  }
  return counters;
}

void Metrics::release(const std::string& name) {
  std::lock_guard lock{mutex_};
  const auto found = streams_.find(name);
  if (--found->second.holders > 0) return;
  Stream& s = *found->second.stream;
  for (auto* counter : s.polled_) families_->events.Remove(counter);
  for (auto* counter : s.pushed_) families_->events.Remove(counter);
  for (auto* counter : s.ssthresh_hints_) families_->ssthresh_hints.Remove(counter);
  for (auto* counter : s.control_changes_) families_->control_changes.Remove(counter);
  for (const auto& counters : s.automatic_starts_) {
    for (auto* counter : counters) families_->automatic_starts.Remove(counter);
  }
  families_->retarget.Remove(s.event_to_retarget_);
  const auto remove = [&](auto& family, std::initializer_list<abr::Reason> reasons) {
    for (const auto reason : reasons) {
      family.Remove(s.rate_changes_[static_cast<std::size_t>(reason)]);
    }
  };
  remove(families_->rate_decreases, kDecreaseReasons);
  remove(families_->restores, kIncreaseReasons);
  families_->delivered.Remove(s.timed_by_timestamp_);
  families_->delivered.Remove(s.timed_by_tcp_info_);
  families_->unused.Remove(s.unused_);
  families_->segment_discards.Remove(s.segment_discards_);
  families_->bbr_restarts.Remove(s.bbr_restarts_);
  families_->sent.Remove(s.segments_sent_);
  families_->retransmitted.Remove(s.segments_retransmitted_);
  for (auto& [format, delays] : s.delays_) {
    families_->delay.Remove(&delays.delivery_);
    families_->join.Remove(&delays.join_);
  }
  streams_.erase(found);
}

void Metrics::Stream::congestion_event(tcpinfo::EventKind kind, tcpinfo::EventSource source) {
  auto& counters = source == tcpinfo::EventSource::kTcpInfo ? polled_ : pushed_;
  counters[static_cast<std::size_t>(kind)]->Increment();
}

void Metrics::Stream::retargeted(double seconds_since_event) {
  event_to_retarget_->Observe(seconds_since_event);
}

void Metrics::Stream::delivery_unused() { unused_->Increment(); }

void Metrics::Stream::segment_discard() { segment_discards_->Increment(); }

void Metrics::Stream::bbr_restart() { bbr_restarts_->Increment(); }

void Metrics::Stream::segments(std::uint32_t sent, std::uint32_t retransmitted) {
  segments_sent_->Increment(sent);
  segments_retransmitted_->Increment(retransmitted);
}

void Metrics::Stream::ssthresh_hint(SocketSteering::SsthreshHint hint) {
  ssthresh_hints_[static_cast<std::size_t>(hint)]->Increment();
}

void Metrics::Stream::congestion_control_changed(abr::CongestionControl to) {
  control_changes_[static_cast<std::size_t>(to)]->Increment();
}

void Metrics::Stream::automatic_start(const abr::NetworkHistory::Start& start) {
  automatic_starts_[static_cast<std::size_t>(start.control)][static_cast<std::size_t>(start.reason)]
      ->Increment();
}

void Metrics::Stream::decision(abr::Reason reason) {
  if (auto* counter = rate_changes_[static_cast<std::size_t>(reason)]) counter->Increment();
}

void Metrics::Stream::frame_timed(FrameDelivery::Source source) {
  const bool exact = source == FrameDelivery::Source::kTimestamp;
  (exact ? timed_by_timestamp_ : timed_by_tcp_info_)->Increment();
}

Metrics::Delays& Metrics::Stream::delays(std::string_view format) {
  const std::string name{format};
  const prometheus::Labels labels{{"stream", name_}, {"format", name}};
  std::lock_guard lock{mutex_};
  return delays_
      .try_emplace(name, families_.delay.Add(labels, kDeliveryDelayBuckets),
                   families_.join.Add(labels, kJoinTimeBuckets))
      .first->second;
}

void Metrics::Delays::frame_delivered(base::Duration delay) {
  delivery_.Observe(std::max(0.0, base::seconds(delay)));
}

void Metrics::Delays::joined(base::Duration until_first_frame) {
  join_.Observe(std::max(0.0, base::seconds(until_first_frame)));
}

std::string Metrics::text(const prometheus::Collectable& states) const {
  auto families = registry_->Collect();
  auto more = states.Collect();
  families.insert(families.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  return prometheus::TextSerializer{}.Serialize(families);
}

}  // namespace app
