#include "abr/path/capacity_estimator.h"

#include <cmath>
#include <utility>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the links of `sim_table --random 1
// --count 100 --seeds 1 --policy symbiosis` without cross traffic, unless cross traffic or a
// `scenario` of sim_table is named.

// Seconds by which round trips differ on an idle path. Less takes jitter for a slow path: with
// 0.0015, the rate of `own` is 0.9 % lower. More hides short queues: with 0.006, p95 of `beside` is
// 15 % longer, and of `steps` 5 %.
constexpr double kRttNoise = 0.003;
// Seconds. A frame that took less says nothing precise, because kRttNoise is a large part of it.
// With 0.004, noise counts, and p99 of `bucket` is 12 % longer; with 0.016, frames of fast paths do
// not count, and a fall is followed after 0.42 instead of 0.22 s.
constexpr double kResolvableTime = 0.008;
// A train faster than this share of TCP's pacing rate shows the pacing, not the path. With 0.25,
// hardly any train counts, and the rate of `beside` is half as high; with 0.9, the pacing passes
// for the path, and p95 is 7 % longer.
constexpr double kPacedShare = 0.5;
// A receiver acknowledges a lone last segment with the next frame's first one, or after its timer
// (RFC 5681, 4.2; Linux' shortest is TCP_DELACK_MIN, 40 ms). A train that took this share of a
// frame interval, or this many seconds, may show that timer. A larger share or time takes the timer
// for a slow path: with 0.9, rates next to cross traffic are 2.5 % lower, while 0.06 s changes
// nothing. A smaller one doubts slow paths: with 0.5 or 0.02 s, p99 of `delayed-acks` is 8 %
// longer.
constexpr double kEchoShare = 0.7;
constexpr double kDelayedAckTime = 0.035;
// Seconds. A paced train this long shows what the path carries at least, not bunched
// acknowledgements, which are off by some milliseconds. With 0.02, p99 of `own` is 8 % longer; a
// larger time waits longer for such a train, but 0.08 changes no delay by 3 % and no rate by 1 %.
constexpr double kLongTrainTime = 0.04;
// ACKs of two frames that are closer together than this are one. A smaller time takes one ACK for
// two, a larger one takes two for one: with 3 ms, p99 of `codel` is 9 % longer. 0.3 ms changes no
// delay by 3 % and no rate by 1 %.
constexpr base::Duration kAckSlack = 1ms;
// Segments of the shortest frame whose time can agree with the capacity. One segment may be all
// that the base RTT was measured with: with 1, the rate of `beside` is 2.5 % lower, though p95 is 7
// % shorter elsewhere. With 4, small frames say nothing, and p95 is 26 % longer.
constexpr std::int64_t kMinTellingSegments = 2;
// A frame or train that shows this share of the capacity agrees with it. Nearer to 1, noise refutes
// it: with 0.93, p99 of `delayed-acks` is 9 % longer. Farther, a path slower by a fifth goes
// unnoticed: with 0.75, p99 of `own` is 4 % longer.
constexpr double kAgreeingShare = 0.85;
// Evidence older than this is not recent: at one frame per second it still is. With 0.5 s, p95 is 4
// % longer, and 9 % next to cross traffic; with 2 s, old evidence counts, and p95 of `steps` is 5 %
// longer.
constexpr base::Duration kRecentTime = 1s;
// If nothing has agreed with the capacity for this long, the highest is trusted instead. With 1 s,
// that happens too soon, and p95 of `beside` is 15 % longer; with 4 s, rates next to cross traffic
// are 1 % lower.
constexpr base::Duration kDoubtTime = 2s;
// Seconds in which the highest capacity decays to 1/e. A shorter time forgets it during a burst of
// cross traffic: with 5, the rate of `beside` is 4 % lower. A longer one keeps that of another
// network; no scenario has one, and 60 changes no rate by 1 %.
constexpr double kHighestMemory = 20;
// The same while trains agree, as they seldom do beside others. With 20, p95 of the 10th worst
// link of `sim_family --tuning` with several viewers is 40 % longer; 2 changes no mean by 1 %.
constexpr double kAgreedMemory = 5;
// Two paced trains after short frames belong together if they are closer. Padding for one is earned
// in 4 s at 0.5 Mbit/s (TrainPadding). 3 and 35 s change no mean by 1 %, but with 3 s the trains of
// slow streams are alone, and a capacity that is too low stays.
constexpr base::Duration kLoneMemory = 10s;

}  // namespace

void CapacityEstimator::begin(base::Time acked) {
  if (acked - newest_frame_ > kMaxEvidenceGap) forget_lower_bounds();
  newest_frame_ = acked;
}

void CapacityEstimator::settle(const DeliveredFrame& frame, const Conditions& conditions) {
  check_doubtful(frame, conditions);
  check_agreement(frame, conditions);
}

void CapacityEstimator::add(const DeliveredFrame& frame, const Conditions& conditions) {
  add_whole(frame, conditions);
  if (frame.head_acked) add_train(frame, conditions);
  follows_train_ = frame.head_acked.has_value();
  if (at_least_.full()) raise(at_least_.median());
}

/// A slow train shows a slow path if the next frame had to wait for it and TCP's pacing held back
/// neither. Otherwise the ACK of its last segment may have been late. A train that only seems slow
/// can still agree with the capacity or exceed it, but not next to cross traffic.
void CapacityEstimator::check_doubtful(const DeliveredFrame& next, const Conditions& conditions) {
  const auto spacing = std::exchange(doubtful_, std::nullopt);
  if (!spacing) return;
  if (next.head_acked && conditions.waited > kRttNoise && !spacing->paced) {
    return accept(*spacing, conditions.cross_traffic);
  }
  const double known = bps(capacity_);
  if (!conditions.cross_traffic && known > 0 && kAgreeingShare * spacing->bps() > known) {
    return accept(*spacing, conditions.cross_traffic);
  }
  if (spacing->bps() > kAgreeingShare * bps(capacity_)) confirmed_ = spacing->acked;
}

void CapacityEstimator::check_agreement(const DeliveredFrame& next, const Conditions& conditions) {
  const auto acked = std::exchange(agreeing_, std::nullopt);
  if (acked && *acked < next.departed + conditions.base_rtt - kAckSlack) confirmed_ = *acked;
}

/// Learns from the time that the whole frame took beyond the base RTT, which may include its first
/// segment.
void CapacityEstimator::add_whole(const DeliveredFrame& frame, const Conditions& conditions) {
  const double whole = base::seconds(frame.acked - frame.departed - conditions.base_rtt);
  transits_.add(std::max(0.0, whole));
  transit_ = base::from_seconds(transits_.min());
  at_least_.add(at_least(frame, conditions.tcp.mss, whole));
  // A frame that is too short for a train may still show that nothing has changed. The base RTT may
  // have been measured with a packet that took no time on the link.
  if (whole <= kResolvableTime || frame.size.bytes() < kMinTellingSegments * conditions.tcp.mss) {
    return;
  }
  const double at_most = bits(frame.size) / whole;
  if (at_most <= kAgreeingShare * bps(capacity_)) return;
  agreeing_ = frame.acked;
  if (kAgreeingShare * at_most < bps(capacity_)) bounded_ = frame.acked;
}

/// bit/s. The base RTT may have been measured with a full segment, on the path at its fastest.
double CapacityEstimator::at_least(const DeliveredFrame& frame, std::uint32_t mss,
                                   double whole) const {
  const double segment = 8.0 * mss;
  const double rest = std::max(0.0, bits(frame.size) - segment) / std::max(kRttNoise, whole);
  if (fastest_ == 0) return rest;
  const double all = bits(frame.size) / std::max(kRttNoise, whole + segment / fastest_);
  return std::max(rest, all);
}

/// Learns from the spacing of the frame's tail.
void CapacityEstimator::add_train(const DeliveredFrame& frame, const Conditions& conditions) {
  const auto pacing = bps(conditions.tcp.pacing);
  const Spacing spacing{.acked = frame.acked,
                        .after_wait = conditions.waited > kQueuedWait,
                        .bits = bits(frame.size - frame.head),
                        .seconds = base::seconds(frame.acked - *frame.head_acked)};
  const double transit = base::seconds(frame.acked - frame.departed - conditions.base_rtt);
  if (pacing > 0 && spacing.bps() > kPacedShare * pacing) {
    if (spacing.bps() > pacing) return;  // closer than it was sent: bunched acknowledgements
    at_least_.newest() = std::max(at_least_.newest(), spacing.bps());
    if (!follows_train_) add_lone(spacing);
    if (spacing.seconds > kLongTrainTime) {
      doubtful_ = spacing;
      doubtful_->paced = true;
    }
  } else if (transit >=
             std::min(kEchoShare * base::seconds(conditions.tcp.frame_interval), kDelayedAckTime)) {
    doubtful_ = spacing;
  } else {
    accept(spacing, conditions.cross_traffic);
  }
}

/// Learns from a paced train after a short frame. TrainPadding makes such trains one at a time, so
/// that the newest three frames never have two of them. Bunched acknowledgements of one show more
/// than the path carries, but hardly those of two.
void CapacityEstimator::add_lone(const Spacing& spacing) {
  const auto before = std::exchange(lone_, spacing);
  if (before && spacing.acked - before->acked < kLoneMemory) {
    raise(std::min(before->bps(), spacing.bps()));
  }
}

void CapacityEstimator::accept(const Spacing& spacing, bool cross_traffic) {
  trains_.add(spacing.acked, spacing.bits, spacing.seconds, spacing.after_wait);
  newest_train_ = spacing.acked;
  capacity_ = rate(trains_.bps());
  fastest_ = std::max(fastest_, trains_.bps());
  trains_agree_ = trains_.agree();
  // Cross traffic stretches trains, so the highest capacity does not decay meanwhile.
  const double elapsed = cross_traffic ? 0 : base::seconds(spacing.acked - highest_at_);
  highest_at_ = spacing.acked;
  const double memory = trains_agree_ ? kAgreedMemory : kHighestMemory;
  highest_ = rate(std::max(bps(highest_) * std::exp(-elapsed / memory), trains_.bps()));
}

void CapacityEstimator::raise(double to) {
  capacity_ = std::max(capacity_, rate(to));
  fastest_ = std::max(fastest_, to);
}

void CapacityEstimator::lower_to(base::BitRate delivered, base::Time now) {
  forget_lower_bounds();
  lowered_at_ = now;
  trains_.forget();
  trains_agree_ = false;
  capacity_ = delivered;
}

double CapacityEstimator::trusted() const {
  const bool doubted =
      newest_frame_ - std::max({newest_train_, confirmed_, lowered_at_}) > kDoubtTime;
  return bps(doubted ? std::max(capacity_, highest_) : capacity_);
}

base::BitRate CapacityEstimator::promised(base::Time now) const {
  if (train_recent(now)) return capacity_;
  return rate(at_least_.empty() ? 0 : at_least_.max());
}

bool CapacityEstimator::train_recent(base::Time now) const {
  return capacity_.bps() > 0 && now - newest_train_ < kRecentTime;
}

bool CapacityEstimator::recent(base::Time now) const {
  return train_recent(now) || (capacity_.bps() > 0 && now - confirmed_ < kRecentTime);
}

bool CapacityEstimator::upper_bound_recent(base::Time now) const {
  return now - std::max(newest_train_, bounded_) < kRecentTime;
}

}  // namespace abr
