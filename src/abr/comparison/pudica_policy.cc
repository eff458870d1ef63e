#include "abr/comparison/pudica_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// The paper's values, with its names. Others would be another rule.
constexpr double kPacing = 1.25;              // gamma_p
constexpr double kHighRatio = 0.85;           // alpha
constexpr double kIncrease = 0.3;             // gamma_MI
constexpr double kDecrease = 0.05;            // gamma_MD
constexpr double kFallback = 0.15;            // zeta
constexpr base::Duration kRatioTime = 200ms;  // T_wd
constexpr base::Duration kDrainTime = 200ms;  // in which the queue is to be empty
constexpr base::Duration kTauTime = 5s;       // tau begins again
constexpr int kCongestedFrames = 3;           // after which the queue is drained
constexpr double kMinStep = -1;               // Mbit/s, of A (reproduction)
constexpr double kMinLog = 0.2;               // of log B, which is 0 at 1 Mbit/s (reproduction)
constexpr double kMinRatio = 0.01;            // by which (8) divides (reproduction)

double mbps(base::BitRate rate) { return static_cast<double>(rate.bps()) / 1e6; }

}  // namespace

Decision PudicaPolicy::decide(const Observation& o, const PathState& path, base::Time now) {
  if (!std::exchange(started_, true)) {
    tau_began_ = now;
    return {served_ = rate_, Reason::kStart};
  }
  const auto least = (path.round_trip.count() > 0 ? path.round_trip : o.min_rtt) + path.jitter;
  sent_.note(o.delivered + o.in_flight + o.lost + o.notsent, now);
  for (const auto& frame : o.frames) note(frame, o, least);
  const auto oldest = sent_.since(o.delivered);
  const bool late = oldest && least.count() > 0 && now - *oldest > least + o.frame_interval;
  if (late || (!o.frames.empty() && congested_ > 0)) fallback_until_ = now + o.frame_interval;
  const auto next =
      now < fallback_until_ && !draining_ ? std::max(limits_.min, (1 - kFallback) * rate_) : rate_;
  const auto before = std::exchange(served_, next);
  Decision decision{next, Reason::kHold};
  if (next < before) decision.reason = Reason::kBacklog;
  if (next > before) decision.reason = Reason::kStep;
  const auto unsent = base::BitRate::of(o.notsent + o.queued, o.frame_interval);
  decision.pacing =
      kPacing / std::clamp(ratio_, kMinRatio, 1.0) * std::max(unsent, o.transport.wire(next));
  return decision;
}

void PudicaPolicy::note(const DeliveredFrame& frame, const Observation& o, base::Duration least) {
  const auto interval = o.frame_interval;
  const auto busy = std::max(base::Duration{}, frame.acked - frame.departed - least);
  ratio_ = base::seconds(busy) / base::seconds(interval);
  samples_.push_back({frame.acked, ratio_, mbps(base::BitRate::of(frame.size, interval))});
  while (frame.acked - samples_.front().at > kRatioTime) samples_.pop_front();
  if (frame.acked - tau_began_ >= kTauTime) tau_began_ = frame.acked;
  if (ratio_ > 1) return note_congested(frame, o, least);
  congested_ = 0;
  if (draining_) {
    draining_ = false;
    received_ += frame.size;
    tau_began_ = frame.acked;
    samples_.clear();
    set_rate(o.transport.video(received(frame.acked)), frame.acked);
  } else if (frame.departed > adjusted_at_) {
    adapt(o);
  }
}

/// 4.3
void PudicaPolicy::note_congested(const DeliveredFrame& frame, const Observation& o,
                                  base::Duration least) {
  if (congested_++ == 0 && !draining_) {
    onset_ = frame.departed + least;
    received_ = {};
  }
  received_ += frame.size;
  tau_began_ = frame.acked;
  if (draining_ || congested_ < kCongestedFrames) return;
  draining_ = true;
  const auto rate = received(frame.acked);
  const auto waiting = o.in_flight + o.lost + o.notsent + o.queued - rate * least;
  const auto drain = base::BitRate::of(std::max(base::ByteCount{}, waiting), kDrainTime);
  const auto next = kHighRatio * rate;
  set_rate(next > drain ? o.transport.video(next - drain) : base::BitRate{}, frame.acked);
}

/// 4.2
void PudicaPolicy::adapt(const Observation& o) {
  const double ratio = smoothed(o);
  const auto now = samples_.back().at;
  if (ratio > 1) {
    tau_began_ = now;
  } else if (ratio > kHighRatio) {
    const double rate = mbps(rate_);
    const double tau = base::seconds(now - tau_began_);
    const double rise = mbps(limits_.max) + std::pow(2, tau) / std::max(std::log(rate), kMinLog);
    const double step = rise * kDecrease / 2 - kDecrease * rate;
    set_rate(base::BitRate::mbps(rate + std::clamp(step, kMinStep, kDecrease * rate)), now);
  } else {
    const double bounded = std::max(ratio, kMinRatio);
    const double xi = kIncrease * ((1 + kHighRatio) / 2 - bounded) / bounded;
    set_rate((1 + xi) * rate_, now);
  }
}

/// (6) and appendix B
double PudicaPolicy::smoothed(const Observation& o) const {
  const double current = mbps(o.transport.wire(rate_));
  double sum = 0;
  double weights = 0;
  double recency = 20;
  for (const auto& sample : samples_) {
    const double weight =
        std::min(sample.ratio + 1, 2.0) * std::min(sample.mbps + 10, 50.0) * ++recency;
    sum += weight * sample.ratio * current / sample.mbps;
    weights += weight;
  }
  return sum / weights;
}

base::BitRate PudicaPolicy::received(base::Time now) const {
  return base::BitRate::of(received_, now - onset_);
}

void PudicaPolicy::set_rate(base::BitRate rate, base::Time now) {
  rate_ = std::clamp(rate, limits_.min, limits_.max);
  adjusted_at_ = now;
}

}  // namespace abr
