#include "abr/comparison/camel_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// The values of the authors' implementation (see the header). Others would be another rule.
constexpr double kBandwidthWeight = 0.1;
constexpr std::size_t kRegressionFrames = 8;  // frames, of the regression
constexpr double kCongestedSlope = 0.5;       // us per byte
constexpr double kGammaFall = 0.95;
constexpr double kMinGamma = 0.2;
constexpr base::Duration kRetargetInterval = 200ms;
constexpr double kRetargetShare = 0.05;
constexpr base::Duration kBurstInterval = 5s;
constexpr double kExcessLoss = 0.1;
constexpr base::ByteCount kBurstStep{2048};
constexpr base::ByteCount kMinBurst{2048};
constexpr base::ByteCount kMaxBurst{64 * 1024};

}  // namespace

Decision CamelPolicy::decide(const Observation& o, const PathState& path, base::Time now) {
  if (!std::exchange(started_, true)) {
    burst_at_ = now;
    return {rate_, Reason::kStart};
  }
  for (const auto& frame : o.frames) note(frame, o);
  in_flight_.push_back({now, o.in_flight + o.lost + o.notsent});
  control_burst(o, now);
  if (gcc_) return fall_back(o, path, now);
  Decision decision{rate_, Reason::kHold};
  if (bandwidth_ == 0) return decision;
  const base::BitRate wire{static_cast<std::int64_t>(gamma_ * bandwidth_)};
  const auto next = std::clamp(o.transport.video(wire), limits_.min, limits_.max);
  const double change = next / rate_ - 1;
  if (now >= retarget_at_ && std::abs(change) >= kRetargetShare) {
    retarget_at_ = now + kRetargetInterval;
    decision = {rate_ = next, change > 0 ? Reason::kCapacity : Reason::kBacklog};
  }
  decision.pacing = pace(o);
  return decision;
}

void CamelPolicy::note(const DeliveredFrame& frame, const Observation& o) {
  base::ByteCount ahead;
  while (!in_flight_.empty() && in_flight_.front().at < frame.departed) {
    ahead = in_flight_.front().bytes;
    in_flight_.pop_front();
  }
  const base::ByteCount first = frame.head_acked ? frame.head : base::ByteCount{o.mss};
  const auto first_acked = frame.head_acked.value_or(frame.departed + o.min_rtt);
  if (frame.size <= first || frame.acked <= first_acked) return;
  const auto sample = base::BitRate::of(frame.size - first, frame.acked - first_acked);
  const auto bps = static_cast<double>(sample.bps());
  bandwidth_ = bandwidth_ == 0 ? bps : bandwidth_ + kBandwidthWeight * (bps - bandwidth_);
  samples_.push_back(
      {static_cast<double>((ahead + first).bytes()),
       1e6 * base::seconds(frame.head_acked.value_or(frame.acked) - frame.departed)});
  if (samples_.size() > kRegressionFrames) samples_.pop_front();
  gamma_ = slope() > kCongestedSlope ? std::max(kMinGamma, kGammaFall * gamma_) : 1;
}

/// us per byte
double CamelPolicy::slope() const {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& sample : samples_) {
    x += sample.in_flight;
    y += sample.delay;
    xx += sample.in_flight * sample.in_flight;
    xy += sample.in_flight * sample.delay;
  }
  const auto count = static_cast<double>(samples_.size());
  const double spread = xx - x * x / count;
  return samples_.size() >= 2 && spread > 0 ? (xy - x * y / count) / spread : 0;
}

void CamelPolicy::control_burst(const Observation& o, base::Time now) {
  if (now < burst_at_ + kBurstInterval) return;
  burst_at_ = now;
  const auto sent =
      static_cast<double>((o.delivered - std::exchange(delivered_, o.delivered)).bytes());
  const auto again = o.retransmits - std::exchange(retransmits_, o.retransmits);
  const bool lossy = sent > 0 && again * static_cast<double>(o.mss) / sent > kExcessLoss;
  if (!lossy) {
    burst_ = std::min(kMaxBurst, burst_ + kBurstStep);
    gcc_.reset();
  } else if (burst_ > kMinBurst) {
    burst_ = std::max(kMinBurst, burst_ - kBurstStep);
  } else if (!gcc_) {
    gcc_.emplace(RateLimits{.min = limits_.min, .max = limits_.max, .start = rate_});
  }
}

Decision CamelPolicy::fall_back(const Observation& o, const PathState& path, base::Time now) {
  auto decision = gcc_->decide(o, path, now);
  if (decision.reason == Reason::kStart) decision.reason = Reason::kHold;
  rate_ = decision.rate;
  return decision;
}

base::BitRate CamelPolicy::pace(const Observation& o) const {
  const auto amount = std::max(o.transport.wire(rate_) * o.frame_interval, o.notsent + o.queued);
  if (amount <= burst_) return {};
  const auto bytes = static_cast<double>(amount.bytes());
  const auto paced = static_cast<double>((amount - burst_).bytes());
  return base::BitRate{static_cast<std::int64_t>(gamma_ * bandwidth_ * bytes / paced)};
}

}  // namespace abr
