#include "abr/path/path_model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "abr/path/path_math.h"
#include "abr/tuning.h"

namespace abr {

namespace {

// Share of the capacity below which our frames alone do not fill a queue. With a smaller share
// fewer waits can show a longer path, and cross traffic ends sooner; with a larger one a queue of
// ours may pass for either: with 0.9, rates return 0.3 s later (sim_table --random 1 --count 100,
// without cross traffic).
constexpr double kFillingShare = 0.7;

}  // namespace

void PathModel::CleanFrames::update(const Observation& o, base::Time now) {
  if (o.recovering || o.receiver_limited || o.retransmits != retransmits_) since_ = now;
  retransmits_ = o.retransmits;
}

void PathModel::update(const Observation& o, base::Time now) {
  if (std::exchange(min_rtt_, o.min_rtt) < o.min_rtt) capacity_.forget_fastest();
  clean_frames_.update(o, now);
  if (o.receiver_limited) {
    delivery_.forget();
    capacity_.forget_lower_bounds();
  }
  for (const auto& frame : o.frames) add_frame(frame, o);
  state_.round_trip = base_rtt(o);
  state_.others_seen = arrival_spacing_.queue() == ArrivalSpacing::Queue::kOthers;
  state_.train_recent = capacity_.train_recent(now);
  state_.capacity_recent = capacity_.recent(now);
  state_.upper_bound_recent = capacity_.upper_bound_recent(now);
  update_delivery(o, now);
  state_.highest = capacity_.highest();
  state_.trains_agree = capacity_.trains_agree();
  state_.transit = capacity_.transit();
  state_.backlog = backlog(o);
  state_.cwnd_rate = delivery_.cwnd_rate(o, state_.capacity, now);
  update_policer(o, now);
  // Losses may have hidden a fall of the capacity.
  queue_room_.update(o, state_.capacity_recent ? state_.capacity : o.transport.wire(o.served), now);
  state_.queue_room = queue_room_.room(now);
  reader_.update(o, now);
  state_.reader_rate = reader_.rate();
}

base::Duration PathModel::base_rtt(const Observation& o) const {
  return o.min_rtt + base_rtt_shift_.length();
}

void PathModel::add_frame(const DeliveredFrame& frame, const Observation& o) {
  const auto rtt = base_rtt(o);
  state_.frame_size = frame.size;
  capacity_.begin(frame.acked);
  const double capacity = capacity_.trusted();
  const auto wait = queueing_delay_.add(frame, rtt, o.mss, capacity, state_.drain_rate.bps() > 0);
  if (frame.head_acked) {
    const bool filled = bps(o.transport.wire(o.served)) > kFillingShare * capacity;
    base_rtt_shift_.add(std::min(wait.beyond_rtt, wait.queued), filled, frame.acked);
  }
  state_.jitter = base::from_seconds(queueing_delay_.jitter());
  state_.queueing_delay = queueing_delay_.min_of_three();
  CapacityEstimator::Conditions conditions{
      .tcp = o, .base_rtt = rtt, .waited = wait.queued, .cross_traffic = state_.cross_traffic};
  capacity_.settle(frame, conditions);
  if (!clean_frames_.contains(frame)) return arrival_spacing_.interrupt();
  clean_waits_.add(wait.queued);
  state_.queue = base::from_seconds(clean_waits_.min());
  add_to_cross_traffic(frame, o, rtt);
  conditions.cross_traffic = state_.cross_traffic;
  capacity_.add(frame, conditions);
}

void PathModel::add_to_cross_traffic(const DeliveredFrame& frame, const Observation& o,
                                     base::Duration base_rtt) {
  // Data that TCP held back has not waited in the path.
  if (frame.departed <= delivery_.held_back_at()) return arrival_spacing_.interrupt();
  arrival_spacing_.add(frame, base_rtt);
  const double capacity = capacity_.trusted();
  if (capacity == 0) return;
  const double highest = std::max(capacity, bps(capacity_.highest()));
  const auto outstanding = delivery_.outstanding_at(frame.departed);
  const auto own_queue = [&](double at) {
    return outstanding ? std::max(0.0, bits(*outstanding) / at - base::seconds(base_rtt)) : 0;
  };
  const double passed = base::seconds(frame.acked - std::exchange(cross_traffic_at_, frame.acked));
  const double used = bits(o.delivered - std::exchange(delivered_, o.delivered)) / capacity;
  // A capacity that may be out of date does not show that somebody else must be there.
  const bool known = capacity_.recent(frame.acked);
  const bool fills = bps(o.transport.wire(o.served)) > kFillingShare * highest;
  cross_traffic_.add({.acked = frame.acked,
                      .total = queueing_delay_.newest(),
                      .own = known ? own_queue(capacity) : queueing_delay_.newest(),
                      .self_induced = fills ? own_queue(highest) : 0,
                      .spare = delivery_.busy() ? std::nullopt : std::optional{passed - used},
                      .neighbours = o.neighbours > 0,
                      .arrivals = arrival_spacing_.queue()});
  state_.cross_traffic = cross_traffic_.present();
}

void PathModel::update_delivery(const Observation& o, base::Time now) {
  const DeliveryMonitor::Belief belief{.capacity = capacity_.capacity(),
                                       .base_rtt = state_.round_trip,
                                       .jitter = queueing_delay_.jitter(),
                                       .newest_evidence = capacity_.newest_evidence()};
  state_.drain_rate = delivery_.drain_rate(o, belief, now);
  const auto proven = delivery_.proven_rate(o, belief, now);
  if (proven && *proven < belief.capacity) capacity_.lower_to(*proven, now);
  delivery_.add(o, now);
  // Frames that queue behind cross traffic show too little: long-term delivery is a lower bound.
  const auto lasting = delivery_.long_term_rate(o, capacity_.newest_setting(), now);
  if (lasting && capacity_.capacity().bps() > 0) capacity_.raise_to(*lasting);
  state_.capacity = capacity_.capacity();
}

/// All undelivered data except for a full pipe and the newest write.
base::ByteCount PathModel::backlog(const Observation& o) const {
  const auto carries = state_.drain_rate.bps() > 0
                           ? state_.drain_rate
                           : std::max(state_.capacity, o.transport.wire(o.served));
  const double waiting = bits(o.queued) + bits(o.notsent) + bits(o.in_flight) + bits(o.lost);
  // The newest frame may be of a higher rate than the last that has arrived.
  const auto newest = std::max(state_.frame_size, o.written_at_once());
  const double beyond =
      waiting - bits(o.padding) - bps(carries) * base::seconds(state_.round_trip) - bits(newest);
  return base::ByteCount{static_cast<std::int64_t>(std::max(0.0, beyond) / 8)};
}

void PathModel::update_policer(const Observation& o, base::Time now) {
  const bool waiting = state_.drain_rate.bps() > 0 || state_.backlog.bytes() > 0 ||
                       queueing_delay_.newest() > kQueuedWait;
  if (state_.cross_traffic) {
    policer_.interrupt();
  } else {
    policer_.update(waiting, capacity_.promised(now), o.delivered, now);
  }
  state_.policer_rate = policer_.rate(now);
}

}  // namespace abr
