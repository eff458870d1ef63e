#include "abr/path/path_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// Where no source is named, a constant is what served best over all of tests/sim's scenarios.
constexpr double kNoise = 0.003;     // seconds that round trips differ by with nothing in the way
constexpr double kResolved = 0.008;  // seconds: noise is little in that
constexpr double kWaits = 0.025;     // seconds: something was before this frame, surely
// A sample faster than this share of TCP's own pace shows the pace, not the path.
constexpr double kPaced = 0.5;
// A receiver acknowledges a lone last segment with the next frame's first, or after its timer
// (RFC 5681, 4.2; Linux' least is TCP_DELACK_MIN, 40 ms).
constexpr double kEcho = 0.7;          // of a frame interval
constexpr double kDelayedAck = 0.035;  // seconds
// Seconds that a train takes: what pacing let through of it is what the path passed, at least, not
// acknowledgements that came bunched (by some milliseconds: kResolved).
constexpr double kLongTrain = 0.04;
constexpr base::Duration kSlack = 1ms;
constexpr std::int64_t kTelling = 2;     // segments
constexpr double kConfirms = 0.85;       // of the capacity
constexpr base::Duration kGap = 3s;      // after that the path may be another
constexpr base::Duration kFresh = 1s;    // trains older than that are no news
constexpr base::Duration kDoubted = 2s;  // nothing has agreed with the capacity for so long
constexpr base::Duration kBusy = 12ms;   // overdue by more than that is late
constexpr double kMostJitter = 0.02;     // seconds
constexpr double kJitterWeight = 1.0 / 16;
constexpr double kUnacked = 2;            // segments that a receiver may keep unacknowledged
constexpr double kLate = 0.95;            // of what is due; less: it is late
constexpr base::Duration kLately = 40ms;  // a frame's interval and a bit
constexpr base::Duration kSpan = 150ms;   // some frames
constexpr base::Duration kLong = 500ms;   // bunched acknowledgements are little in that
constexpr double kSurpassed = 0.85;       // as kConfirms: nearer than that is noise
constexpr double kFills = 0.7;            // of the capacity: less does not fill a queue
constexpr double kMemory = 20;            // seconds in which the highest is forgotten to 1/e

double bits(base::ByteCount size) { return static_cast<double>(size.bits()); }

double bps(base::BitRate rate) { return static_cast<double>(rate.bps()); }

base::BitRate rate(double bps) { return base::BitRate{static_cast<std::int64_t>(bps)}; }

double median(const std::array<double, 3>& of) {
  return std::max(std::min(of[0], of[1]), std::min(std::max(of[0], of[1]), of[2]));
}

/// Of the newest, in a ring that `count` have gone into.
double least(const std::array<double, 3>& ring, std::size_t count) {
  return *std::min_element(ring.begin(), ring.begin() + std::min(count, ring.size()));
}

}  // namespace

void PathModel::update(const Observation& observation, base::Time now) {
  Observation o = observation;
  if (o.min_rtt > least_round_trip_) fastest_ = bps(state_.capacity);  // TCP has forgotten the last
  least_round_trip_ = o.min_rtt;
  if (o.recovering || o.receiver_limited || o.retransmits != retransmits_) calm_since_ = now;
  retransmits_ = o.retransmits;
  if (o.receiver_limited) forget_delivery();
  for (const auto& frame : o.frames) {
    o.min_rtt = observation.min_rtt + base_rtt_shift_.length();
    note_frame(frame, o);
  }
  o.min_rtt = state_.round_trip = observation.min_rtt + base_rtt_shift_.length();
  state_.train_recent = state_.capacity.bps() > 0 && now - newest_train_ < kFresh;
  state_.capacity_recent =
      state_.train_recent || (state_.capacity.bps() > 0 && now - confirmed_ < kFresh);
  state_.upper_bound_recent = now - std::max(newest_train_, bounded_) < kFresh;
  measure_service(o, now);
  note_delivery(o, now);
  heed_delivery(o, now);
  measure_backlog(o);
  measure_allowance(o, now);
  const bool waiting =
      state_.drain_rate.bps() > 0 || state_.backlog.bytes() > 0 || waited_ > kWaits;
  if (state_.cross_traffic) {
    policer_.interrupt();
  } else {
    policer_.update(waiting, promised(), o.delivered, now);
  }
  state_.policer_rate = policer_.rate(now);
}

/// What frames have shown lately, at least.
base::BitRate PathModel::promised() const {
  if (state_.train_recent) return state_.capacity;
  const auto newest = std::min(least_count_, least_.size());
  return rate(newest > 0 ? *std::max_element(least_.begin(), least_.begin() + newest) : 0);
}

/// What was under way then has waited for the viewer.
void PathModel::forget_delivery() {
  deliveries_ = {};
  busy_since_.reset();
  least_count_ = 0;
}

void PathModel::note_frame(const DeliveredFrame& frame, const Observation& o) {
  if (frame.acked - newest_frame_ > kGap) least_count_ = 0;
  newest_frame_ = frame.acked;
  state_.frame_size = frame.size;
  note_waiting(frame, o);
  settle_doubt(frame);
  settle_agreement(frame, o);
  if (frame.departed < calm_since_) return;
  notice_others(frame, o);
  note_whole(frame, o);
  if (frame.head_acked) note_train(frame, o);
  if (least_count_ >= least_.size()) raise_capacity(median(least_));
}

/// What was there before the frame, by its head, or by all of it where it has none.
void PathModel::note_waiting(const DeliveredFrame& frame, const Observation& o) {
  const double capacity = believed();
  const double beyond =
      base::seconds(frame.head_acked.value_or(frame.acked) - frame.departed - o.min_rtt);
  // A segment of the head may be in the least round trip.
  const auto own = frame.head_acked ? frame.head - base::ByteCount{o.mss} : frame.size;
  waited_ = std::max(0.0, capacity > 0 ? beyond - bits(own) / capacity : beyond);
  if (frame.head_acked) {
    const bool filled = bps(o.transport.wire(o.served)) > kFills * capacity;
    base_rtt_shift_.add(std::min(beyond, waited_), filled, frame.acked);
  }
  waits_[wait_count_++ % waits_.size()] = waited_;
  if (state_.drain_rate.bps() == 0) {
    jitter_ += kJitterWeight * (std::min(waited_, kMostJitter) - jitter_);
  }
  state_.jitter = base::from_seconds(jitter_);
  state_.queueing_delay = base::from_seconds(least(waits_, wait_count_));
}

/// What the whole frame took beyond the round trip, which its first segment may be part of.
void PathModel::note_whole(const DeliveredFrame& frame, const Observation& o) {
  const double whole = base::seconds(frame.acked - frame.departed - o.min_rtt);
  transits_[transit_count_++ % transits_.size()] = std::max(0.0, whole);
  state_.transit = base::from_seconds(least(transits_, transit_count_));
  least_[least_count_++ % least_.size()] = carries_at_least(frame, o, whole);
  // Too short for a train, it may still tell that nothing has changed. The least round trip may be
  // of a packet that took no time on the link.
  if (whole <= kResolved || frame.size.bytes() < kTelling * o.mss) return;
  const double most = bits(frame.size) / whole;
  if (most <= kConfirms * bps(state_.capacity)) return;
  agreeing_ = frame.acked;
  if (kConfirms * most < bps(state_.capacity)) bounded_ = frame.acked;
}

/// bit/s. The least round trip may be that of a full segment, but of one on the path at its
/// fastest.
double PathModel::carries_at_least(const DeliveredFrame& frame, const Observation& o,
                                   double whole) const {
  const double segment = 8.0 * o.mss;
  const double rest = std::max(0.0, bits(frame.size) - segment) / std::max(kNoise, whole);
  if (fastest_ == 0) return rest;
  const double all = bits(frame.size) / std::max(kNoise, whole + segment / fastest_);
  return std::max(rest, all);
}

/// How the path spaced the tail.
void PathModel::note_train(const DeliveredFrame& frame, const Observation& o) {
  const Spacing spacing{.acked = frame.acked,
                        .after_wait = waited_ > kWaits,
                        .bits = bits(frame.size - frame.head),
                        .seconds = base::seconds(frame.acked - *frame.head_acked)};
  const double transit = base::seconds(frame.acked - frame.departed - o.min_rtt);
  if (o.pacing.bps() > 0 && spacing.bps() > kPaced * bps(o.pacing)) {
    // Closer than it was sent: the acknowledgements came bunched.
    if (spacing.bps() > bps(o.pacing)) return;
    auto& newest = least_[(least_count_ - 1) % least_.size()];
    newest = std::max(newest, spacing.bps());
    if (spacing.seconds > kLongTrain) {
      doubtful_ = spacing;
      doubtful_->paced = true;
    }
  } else if (transit >= std::min(kEcho * base::seconds(o.frame_interval), kDelayedAck)) {
    doubtful_ = spacing;
  } else {
    add_train(spacing);
  }
}

/// A slow train is the path's doing when the next frame had to wait for it, and TCP's pace did
/// not hold both back; else its last segment may have been acknowledged late. What seems slower
/// than it was can agree, or show more, but not where others come and go. Only a train's head is
/// acknowledged at once.
void PathModel::settle_doubt(const DeliveredFrame& next) {
  const auto spacing = std::exchange(doubtful_, std::nullopt);
  if (!spacing) return;
  if (next.head_acked && waited_ > kNoise && !spacing->paced) return add_train(*spacing);
  const double known = bps(state_.capacity);
  if (!state_.cross_traffic && known > 0 && kConfirms * spacing->bps() > known) {
    return add_train(*spacing);
  }
  if (spacing->bps() > kConfirms * bps(state_.capacity)) confirmed_ = spacing->acked;
}

void PathModel::settle_agreement(const DeliveredFrame& next, const Observation& o) {
  const auto acked = std::exchange(agreeing_, std::nullopt);
  if (acked && *acked < next.departed + o.min_rtt - kSlack) confirmed_ = *acked;
}

void PathModel::add_train(const Spacing& spacing) {
  trains_.add(spacing.acked, spacing.bits, spacing.seconds, spacing.after_wait);
  newest_train_ = spacing.acked;
  state_.capacity = rate(trains_.bps());
  fastest_ = std::max(fastest_, trains_.bps());
  state_.trains_agree = trains_.agree();
  // Others draw trains out, so that what was seen before they came is kept meanwhile.
  const double elapsed = state_.cross_traffic ? 0 : base::seconds(spacing.acked - highest_at_);
  highest_at_ = spacing.acked;
  state_.highest =
      rate(std::max(bps(state_.highest) * std::exp(-elapsed / kMemory), trains_.bps()));
}

void PathModel::raise_capacity(double bps) {
  state_.capacity = std::max(state_.capacity, rate(bps));
  fastest_ = std::max(fastest_, bps);
}

/// Where no frame has agreed with the capacity lately, it may be too low by far: what others put
/// between our packets looks like a slow path.
double PathModel::believed() const {
  const bool doubted =
      newest_frame_ - std::max({newest_train_, confirmed_, lowered_at_}) > kDoubted;
  return bps(doubted ? std::max(state_.capacity, state_.highest) : state_.capacity);
}

/// Seconds that the frame's head had to wait for what was ours on the way, by the capacity.
double PathModel::own_queue(const DeliveredFrame& frame, const Observation& o,
                            double capacity) const {
  const auto* mark = deliveries_.before(frame.departed);
  return mark ? std::max(0.0, bits(mark->outstanding) / capacity - base::seconds(o.min_rtt)) : 0;
}

void PathModel::notice_others(const DeliveredFrame& frame, const Observation& o) {
  const double capacity = believed();
  // What TCP has held back has not waited in the path.
  if (capacity == 0 || frame.departed <= held_at_) return;
  const double most = std::max(capacity, bps(state_.highest));
  const double passed = base::seconds(frame.acked - std::exchange(noticed_at_, frame.acked));
  const double used = bits(o.delivered - std::exchange(noticed_, o.delivered)) / capacity;
  foreign_.add({.acked = frame.acked,
                .all = waited_,
                .own = own_queue(frame, o, capacity),
                .self_induced =
                    bps(o.transport.wire(o.served)) > kFills * most ? own_queue(frame, o, most) : 0,
                .spare = busy_since_ ? std::nullopt : std::optional{passed - used}});
  state_.cross_traffic = foreign_.shared();
}

/// A round trip after a mark all that was in flight then is delivered, but for what of its newest
/// frame the path still carries. When it is not, the path has become slower, has been busy, and
/// what it delivered lately is what it can.
void PathModel::measure_service(const Observation& o, base::Time now) {
  state_.drain_rate = {};
  if (state_.capacity.bps() == 0 || o.receiver_limited) return;
  const auto patience = o.min_rtt + kBusy + base::from_seconds(2 * jitter_);
  const auto* mark = deliveries_.before(now - patience);
  if (!mark || overdue(*mark, o, now) <= 0) return busy_since_.reset();
  if (!busy_since_) busy_since_ = now - (patience - o.min_rtt);
  state_.drain_rate = delivered_since(std::max(now - kLately, *busy_since_), o, now);
  // Of a moment it is known only roughly: acknowledgements come late, and bunched.
  if (const auto busy = now - *busy_since_; busy < kLately) {
    state_.drain_rate =
        state_.drain_rate +
        base::BitRate::of(base::ByteCount{static_cast<std::int64_t>(kUnacked) * o.mss}, busy);
  }
  // Where no frame tells of it nothing else would say so.
  const bool told = std::max(newest_train_, confirmed_) > *busy_since_;
  if (!told && now - *busy_since_ >= kLately) {
    const auto lately = delivered_since(std::max(now - kSpan, *busy_since_), o, now);
    if (lately < state_.capacity) {
      least_count_ = 0;
      lowered_at_ = now;
      trains_.forget();
      state_.trains_agree = false;
      state_.capacity = lately;
    }
  }
}

/// Bits that should have been delivered since the mark and were not, beyond what is tolerated.
double PathModel::overdue(const DeliveryHistory::Snapshot& mark, const Observation& o,
                          base::Time now) const {
  const double capacity = bps(state_.capacity);
  const double frame = bits(o.transport.wire(o.served) * o.frame_interval);
  const double age = base::seconds(now - mark.at);
  const double still = std::max(0.0, frame - capacity * (age - base::seconds(o.min_rtt)));
  const double due = std::min(bits(mark.outstanding) - still, capacity * age);
  return kLate * due - kUnacked * 8.0 * o.mss - bits(o.delivered - mark.delivered);
}

/// Paced, what TCP holds leaves while the window has room.
void PathModel::note_delivery(const Observation& o, base::Time now) {
  const base::ByteCount window{std::int64_t{o.cwnd} * o.mss};
  const auto leaving = std::min(o.in_flight + o.notsent, window);
  deliveries_.add({now, o.delivered, std::max(o.in_flight, leaving)});
}

/// What was delivered for long is a bound, whatever frames and trains have told: those that wait
/// for others tell of too little.
void PathModel::heed_delivery(const Observation& o, base::Time now) {
  const auto* mark = deliveries_.before(now - kLong);
  const auto told = std::max(newest_train_, lowered_at_);
  if (!mark || state_.capacity.bps() == 0 || mark->at < told) return;
  const double passed = bits(o.delivered - mark->delivered) / base::seconds(now - mark->at);
  if (kSurpassed * passed > bps(state_.capacity)) raise_capacity(passed);
}

base::BitRate PathModel::delivered_since(base::Time time, const Observation& o,
                                         base::Time now) const {
  const auto* mark = deliveries_.before(time);
  if (!mark) return state_.capacity;
  return base::BitRate::of(std::max(o.delivered - mark->delivered, base::ByteCount{o.mss}),
                           now - mark->at);
}

/// While TCP has more than it may send, what it delivers is what the window, or the pace, allows.
void PathModel::measure_allowance(const Observation& o, base::Time now) {
  state_.cwnd_rate = {};
  // The newest frame may still be leaving, paced.
  const auto leaving =
      o.transport.wire(o.served) * o.frame_interval + base::ByteCount{2 * o.mss} + o.padding;
  if (o.queued + o.notsent <= leaving || o.srtt.count() == 0 || o.receiver_limited) return;
  const base::ByteCount window{std::int64_t{o.cwnd} * o.mss};
  held_at_ = now;
  state_.cwnd_rate = std::min(base::BitRate::of(window, o.srtt),
                              delivered_since(now - std::max(o.srtt, kSpan), o, now));
}

/// What has not been delivered, but for what the pipe holds and the newest frame.
void PathModel::measure_backlog(const Observation& o) {
  const auto carries = state_.drain_rate.bps() > 0
                           ? state_.drain_rate
                           : std::max(state_.capacity, o.transport.wire(o.served));
  const double waiting = bits(o.queued) + bits(o.notsent) + bits(o.in_flight) + bits(o.lost);
  // The newest frame may be of a higher rate than the last that has arrived.
  const auto frame = std::max(state_.frame_size, o.transport.wire(o.served) * o.frame_interval);
  const double beyond =
      waiting - bits(o.padding) - bps(carries) * base::seconds(o.min_rtt) - bits(frame);
  state_.backlog = base::ByteCount{static_cast<std::int64_t>(std::max(0.0, beyond) / 8)};
}

}  // namespace abr
