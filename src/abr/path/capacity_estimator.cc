#include "abr/path/capacity_estimator.h"

#include <cmath>
#include <utility>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Constants without a source were chosen over all scenarios of tests/sim; `sim_table` shows the
// effect of another value.

// Seconds by which round trips differ on an idle path. Less takes jitter for a slow path, more
// hides short queues.
constexpr double kRttNoise = 0.003;
// Seconds. kRttNoise is small compared to this: a frame that took less says nothing precise.
constexpr double kResolvableTime = 0.008;
// A train faster than this share of TCP's pacing rate shows the pacing, not the path.
constexpr double kPacedShare = 0.5;
// A receiver acknowledges a lone last segment with the next frame's first one, or after its timer
// (RFC 5681, 4.2; Linux' shortest is TCP_DELACK_MIN, 40 ms). A train that took this share of a
// frame interval, or this many seconds, may show that timer.
constexpr double kEchoShare = 0.7;
constexpr double kDelayedAckTime = 0.035;
// Seconds. A paced train this long shows what the path carries at least, not bunched
// acknowledgements, which are off by some milliseconds.
constexpr double kLongTrainTime = 0.04;
// ACKs of two frames that are closer together than this are one.
constexpr base::Duration kAckSlack = 1ms;
// Segments of the shortest frame whose time can agree with the capacity. One segment may be all
// that the base RTT was measured with.
constexpr std::int64_t kMinTellingSegments = 2;
// A frame or train that shows this share of the capacity agrees with it. Nearer to 1, noise refutes
// it; farther, a path slower by a fifth goes unnoticed.
constexpr double kAgreeingShare = 0.85;
// Evidence older than this is not recent: at one frame per second it still is.
constexpr base::Duration kRecentTime = 1s;
// Nothing has agreed with the capacity for this long: the highest is trusted instead.
constexpr base::Duration kDoubtTime = 2s;
// Seconds in which the highest capacity decays to 1/e. A shorter time forgets it during a burst of
// cross traffic, a longer one keeps that of another network.
constexpr double kHighestMemory = 20;

}  // namespace

void CapacityEstimator::begin(base::Time acked) {
  if (acked - newest_frame_ > kMaxEvidenceGap) at_least_.clear();
  newest_frame_ = acked;
}

void CapacityEstimator::settle(const DeliveredFrame& frame, const Conditions& conditions) {
  check_doubtful(frame, conditions);
  check_agreement(frame, conditions);
}

void CapacityEstimator::add(const DeliveredFrame& frame, const Conditions& conditions) {
  add_whole(frame, conditions);
  if (frame.head_acked) add_train(frame, conditions);
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

void CapacityEstimator::accept(const Spacing& spacing, bool cross_traffic) {
  trains_.add(spacing.acked, spacing.bits, spacing.seconds, spacing.after_wait);
  newest_train_ = spacing.acked;
  capacity_ = rate(trains_.bps());
  fastest_ = std::max(fastest_, trains_.bps());
  trains_agree_ = trains_.agree();
  // Cross traffic stretches trains, so the highest capacity does not decay meanwhile.
  const double elapsed = cross_traffic ? 0 : base::seconds(spacing.acked - highest_at_);
  highest_at_ = spacing.acked;
  highest_ = rate(std::max(bps(highest_) * std::exp(-elapsed / kHighestMemory), trains_.bps()));
}

void CapacityEstimator::raise(double to) {
  capacity_ = std::max(capacity_, rate(to));
  fastest_ = std::max(fastest_, to);
}

void CapacityEstimator::lower_to(base::BitRate delivered, base::Time now) {
  at_least_.clear();
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
