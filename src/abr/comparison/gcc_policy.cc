#include "abr/comparison/gcc_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// The values of the draft and of rtpgccbwe (see the header). Others would be another rule.
constexpr double kProcessNoise = 1e-3;   // ms^2, of the Kalman filter
constexpr double kNoiseMemory = 0.95;    // weight of the old noise in the new one
constexpr int kMaxGradientGain = 60;     // samples by which the gradient is multiplied
constexpr double kThresholdRise = 0.01;  // adaptation of the threshold, 1/ms
constexpr double kThresholdFall = 0.00018;
constexpr double kOutlierTime = 15;  // ms beyond the threshold that do not adapt it
constexpr double kMinThreshold = 6;  // ms
constexpr double kMaxThreshold = 600;
constexpr base::Duration kOveruseTime = 10ms;  // above the threshold
constexpr base::Duration kReceiveSpan = 1s;    // over which the received rate is measured
constexpr base::Duration kDecreaseInterval = 100ms;
constexpr double kReceivedShare = 0.85;          // of the received rate, after a decrease
constexpr double kMaxKeptShare = 0.95;           // of the rate, after a decrease
constexpr double kGrowthPerSecond = 1.08;        // far from the rate of the last decrease
constexpr double kMaxReceivedRatio = 1.5;        // of the rate to the received rate
constexpr base::Duration kReactionTime = 100ms;  // of the response time, besides a round trip

double milliseconds(base::Duration time) { return 1e3 * base::seconds(time); }

}  // namespace

Decision GccPolicy::decide(const Observation& o, const PathState&, base::Time now) {
  if (!std::exchange(started_, true)) {
    increased_ = now;
    return {rate_, Reason::kStart};
  }
  for (const auto& frame : o.frames) note(frame);
  if (usage_ == Usage::kOver) return decrease(o, now);
  if (usage_ == Usage::kUnder) {
    increased_ = now;
    return {rate_, Reason::kHold};
  }
  return increase(o, now);
}

void GccPolicy::note(const DeliveredFrame& frame) {
  window_.push_back({frame.acked, frame.size});
  while (frame.acked - window_.front().at > kReceiveSpan) window_.pop_front();
  const auto before = std::exchange(last_, frame);
  if (!before) return;
  const auto arrival = [](const DeliveredFrame& p) { return p.head_acked.value_or(p.acked); };
  const double elapsed = milliseconds(arrival(frame) - arrival(*before));
  filter(elapsed - milliseconds(frame.departed - before->departed));
  const double gradient = estimate_ * samples_;
  detect(gradient, frame.acked);
  adapt(gradient, elapsed);
}

/// draft-ietf-rmcat-gcc-02, 5.3.
void GccPolicy::filter(double variation) {
  samples_ = std::min(samples_ + 1, kMaxGradientGain);
  const double residual = variation - estimate_;
  const double bounded = std::min(std::abs(residual), 3 * std::sqrt(noise_));
  noise_ = std::max(1.0, kNoiseMemory * noise_ + (1 - kNoiseMemory) * bounded * bounded);
  const double gain = (error_ + kProcessNoise) / (noise_ + error_ + kProcessNoise);
  estimate_ += gain * residual;
  error_ = (1 - gain) * (error_ + kProcessNoise);
}

/// 5.4
void GccPolicy::detect(double gradient, base::Time at) {
  if (gradient < -threshold_) {
    usage_ = Usage::kUnder;
    over_since_.reset();
  } else if (gradient <= threshold_) {
    usage_ = Usage::kNormal;
    over_since_.reset();
  } else {
    if (!over_since_) over_since_ = at;
    if (at - *over_since_ >= kOveruseTime) usage_ = Usage::kOver;
  }
}

void GccPolicy::adapt(double gradient, double elapsed) {
  const double distance = std::abs(gradient) - threshold_;
  if (distance > kOutlierTime) return;
  threshold_ +=
      (distance > 0 ? kThresholdRise : kThresholdFall) * distance * std::min(elapsed, 100.0);
  threshold_ = std::clamp(threshold_, kMinThreshold, kMaxThreshold);
}

base::BitRate GccPolicy::received() const {
  base::ByteCount total;
  for (const auto& entry : window_) total += entry.size;
  if (window_.size() < 2) return {};
  const auto time = window_.back().at - window_.front().at;
  if (time.count() == 0) return {};
  return base::BitRate::of(total - window_.front().size, time);
}

Decision GccPolicy::decrease(const Observation& o, base::Time now) {
  increased_ = now;
  if (now < decrease_at_ || received().bps() == 0) return {rate_, Reason::kHold};
  decrease_at_ = now + kDecreaseInterval;
  const auto bps = static_cast<double>(received().bps());
  deviation_ = mean_ == 0 ? 0 : 0.95 * deviation_ + 0.05 * std::abs(bps - mean_);
  mean_ = mean_ == 0 ? bps : 0.95 * mean_ + 0.05 * bps;
  const auto next = std::min(kMaxKeptShare * rate_, o.transport.video(kReceivedShare * received()));
  const auto limited = std::max(limits_.min, next);
  if (std::exchange(rate_, limited) == limited) return {rate_, Reason::kHold};
  return {rate_, Reason::kBacklog};
}

Decision GccPolicy::increase(const Observation& o, base::Time now) {
  const auto elapsed = now - std::exchange(increased_, now);
  const auto most = o.transport.video(kMaxReceivedRatio * received());
  const auto bps = static_cast<double>(o.transport.wire(rate_).bps());
  const bool near = mean_ > 0 && std::abs(bps - mean_) < 3 * std::max(deviation_, 0.01 * mean_);
  const double response = base::seconds(o.srtt + kReactionTime);
  const auto next = near
                        ? rate_ + base::BitRate{static_cast<std::int64_t>(
                                      4.0 * o.mss * base::seconds(elapsed) / (response * response))}
                        : std::pow(kGrowthPerSecond, base::seconds(elapsed)) * rate_;
  const auto limited = std::clamp(next, limits_.min, limits_.max);
  if (limited <= rate_ || limited > most) return {rate_, Reason::kHold};
  rate_ = limited;
  return {rate_, Reason::kRestore};
}

}  // namespace abr
