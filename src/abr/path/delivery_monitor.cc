#include "abr/path/delivery_monitor.h"

#include <algorithm>

#include "abr/path/path_math.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the scenarios of sim_table that are named.

// Data that is overdue by more than this plus twice the jitter is late. Less takes bunched ACKs for
// a slow path: with 6 ms, the rate of `aggregated` is 10 % lower. More notices a fall of the
// capacity a frame later: with 24 ms, p95 of `steps` is 44 % longer.
constexpr base::Duration kOverdueTime = 12ms;
// Segments that a receiver may hold unacknowledged (RFC 1122, 4.2.3.2).
constexpr double kUnackedSegments = 2;
// Share of the due data that counts as all of it. Nearer to 1, an error of the capacity looks like
// a slow path; farther, a small fall goes unnoticed. Not measured against other values.
constexpr double kDueShare = 0.95;
// The newest delivery rate is measured over a little more than a frame interval: shorter is noise,
// longer lags behind. Not measured against other values.
constexpr base::Duration kDrainSpan = 40ms;
// A rate that lowers the capacity, or that the window allows, is measured over a few frames: over
// one it is noise, over more it lags behind. Not measured against other values.
constexpr base::Duration kProofSpan = 150ms;
// Bunched ACKs matter little over this time. Over a longer one, fewer stretches are long enough to
// raise the capacity. Not measured against other values.
constexpr base::Duration kLongTermSpan = 500ms;

}  // namespace

void DeliveryMonitor::forget() {
  history_ = {};
  busy_since_.reset();
}

base::BitRate DeliveryMonitor::drain_rate(const Observation& o, const Belief& belief,
                                          base::Time now) {
  if (belief.capacity.bps() == 0 || o.receiver_limited) return {};
  const auto patience = belief.base_rtt + kOverdueTime + base::from_seconds(2 * belief.jitter);
  const auto* snapshot = history_.before(now - patience);
  if (!snapshot || overdue(*snapshot, o, belief, now) <= 0) {
    busy_since_.reset();
    return {};
  }
  if (!busy_since_) busy_since_ = now - (patience - belief.base_rtt);
  const auto rate =
      delivered_since(std::max(now - kDrainSpan, *busy_since_), o, belief.capacity, now);
  // Over a short time the rate is known only roughly: ACKs are late and bunched.
  const auto busy = now - *busy_since_;
  if (busy >= kDrainSpan) return rate;
  return rate + base::BitRate::of(
                    base::ByteCount{static_cast<std::int64_t>(kUnackedSegments) * o.mss}, busy);
}

std::optional<base::BitRate> DeliveryMonitor::proven_rate(const Observation& o,
                                                          const Belief& belief,
                                                          base::Time now) const {
  if (!busy_since_ || belief.capacity.bps() == 0 || o.receiver_limited) return {};
  if (belief.newest_evidence > *busy_since_ || now - *busy_since_ < kDrainSpan) return {};
  return delivered_since(std::max(now - kProofSpan, *busy_since_), o, belief.capacity, now);
}

/// Bits that should have been delivered since the snapshot but were not, beyond the tolerance.
double DeliveryMonitor::overdue(const DeliveryHistory::Snapshot& snapshot, const Observation& o,
                                const Belief& belief, base::Time now) const {
  const double capacity = bps(belief.capacity);
  const double newest = bits(o.written_at_once());
  const double age = base::seconds(now - snapshot.at);
  const double carried_still =
      std::max(0.0, newest - capacity * (age - base::seconds(belief.base_rtt)));
  const double due = std::min(bits(snapshot.outstanding) - carried_still, capacity * age);
  return kDueShare * due - kUnackedSegments * 8.0 * o.mss - bits(o.delivered - snapshot.delivered);
}

/// With pacing, data that TCP holds leaves as long as the window has room.
void DeliveryMonitor::add(const Observation& o, base::Time now) {
  const base::ByteCount window{std::int64_t{o.cwnd} * o.mss};
  const auto leaving = std::min(o.in_flight + o.notsent, window);
  history_.add({now, o.delivered, std::max(o.in_flight, leaving)});
}

std::optional<double> DeliveryMonitor::long_term_rate(const Observation& o, base::Time since,
                                                      base::Time now) const {
  const auto* snapshot = history_.before(now - kLongTermSpan);
  if (!snapshot || snapshot->at < since) return {};
  return bits(o.delivered - snapshot->delivered) / base::seconds(now - snapshot->at);
}

base::BitRate DeliveryMonitor::cwnd_rate(const Observation& o, base::BitRate capacity,
                                         base::Time now) {
  // Pacing may still be sending the newest write.
  const auto leaving = o.written_at_once() + base::ByteCount{2 * o.mss} + o.padding;
  if (o.queued + o.notsent <= leaving || o.srtt.count() == 0 || o.receiver_limited) return {};
  const base::ByteCount window{std::int64_t{o.cwnd} * o.mss};
  held_back_at_ = now;
  return std::min(base::BitRate::of(window, o.srtt),
                  delivered_since(now - std::max(o.srtt, kProofSpan), o, capacity, now));
}

std::optional<base::ByteCount> DeliveryMonitor::outstanding_at(base::Time time) const {
  const auto* snapshot = history_.before(time);
  return snapshot ? std::optional{snapshot->outstanding} : std::nullopt;
}

base::BitRate DeliveryMonitor::delivered_since(base::Time time, const Observation& o,
                                               base::BitRate capacity, base::Time now) const {
  const auto* snapshot = history_.before(time);
  if (!snapshot) return capacity;
  return base::BitRate::of(std::max(o.delivered - snapshot->delivered, base::ByteCount{o.mss}),
                           now - snapshot->at);
}

}  // namespace abr
