#include "app/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <iterator>

namespace app {

namespace {

// Seconds. From a frame on loopback to a viewer given up; finest where the targets are: 100 ms
// (live latency on loopback), 200 ms (late), 500 ms (itcp behind a slow link).
const prometheus::Histogram::BucketBoundaries kDelayBuckets{
    0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10};
const prometheus::Histogram::BucketBoundaries kJoinBuckets{0.02, 0.05, 0.1, 0.15, 0.2,
                                                           0.3,  0.5,  1,   2,    5};

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

}  // namespace

Metrics::Metrics() : registry_{std::make_unique<prometheus::Registry>()} {}
Metrics::~Metrics() = default;

Metrics::Stream Metrics::stream(const std::string& name) {
  // Registering a family again returns the first one.
  auto& events = counters(*registry_, "symcast_congestion_events_total",
                          "Congestion events of viewers' connections, by kind and by the source "
                          "that told us");
  auto& retractions = counters(*registry_, "symcast_retractions_total",
                               "Times a viewer's rate was retracted, by reason");
  auto& restores =
      counters(*registry_, "symcast_restores_total", "Steps by which viewers' rates were restored");
  auto& delay = histograms(*registry_, "symcast_frame_delivery_delay_seconds",
                           "From a picture's capture to the acknowledgement of its last byte");
  auto& join = histograms(*registry_, "symcast_join_seconds",
                          "From a viewer's request to the acknowledgement of its first picture");
  Stream s;
  const auto event = [&](const char* kind) {
    return &events.Add({{"stream", name}, {"kind", kind}, {"source", "tcp_info"}});
  };
  s.rexmt_ = event("rexmt");
  s.dupack_ = event("dupack");
  s.retracted_by_rexmt_ = &retractions.Add({{"stream", name}, {"reason", "rexmt"}});
  s.retracted_by_dupack_ = &retractions.Add({{"stream", name}, {"reason", "dupack"}});
  s.restores_ = &restores.Add({{"stream", name}});
  s.delivery_delay_ = &delay.Add({{"stream", name}}, kDelayBuckets);
  s.join_time_ = &join.Add({{"stream", name}}, kJoinBuckets);
  return s;
}

void Metrics::Stream::congestion_event(tcpinfo::EventKind kind) {
  (kind == tcpinfo::EventKind::kRexmt ? rexmt_ : dupack_)->Increment();
}

void Metrics::Stream::decision(abr::Reason reason) {
  if (reason == abr::Reason::kRexmt) retracted_by_rexmt_->Increment();
  if (reason == abr::Reason::kDupack) retracted_by_dupack_->Increment();
  if (reason == abr::Reason::kRestore) restores_->Increment();
}

void Metrics::Stream::frame_delivered(double delay_seconds) {
  delivery_delay_->Observe(delay_seconds);
}

void Metrics::Stream::joined(double seconds_to_first_frame) {
  join_time_->Observe(seconds_to_first_frame);
}

std::string Metrics::text(const prometheus::Collectable& states) const {
  auto families = registry_->Collect();
  auto more = states.Collect();
  families.insert(families.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  return prometheus::TextSerializer{}.Serialize(families);
}

}  // namespace app
