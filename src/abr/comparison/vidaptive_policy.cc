#include "abr/comparison/vidaptive_policy.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// The values of Copa and of the crate (see the header). Others would be another rule.
constexpr double kDelta = 0.9;
constexpr base::Duration kShortestTime = 10s;  // for which the shortest round trip counts
constexpr int kSameDirection = 3;              // round trips, after which the velocity doubles
constexpr double kMinWindow = 4;               // packets
constexpr double kServiceTime = 0.033;         // P, seconds
constexpr double kPercentile = 0.9;            // lambda
constexpr base::Duration kAlphaInterval = 1s;  // D
constexpr double kAlphaWeight = 0.25;
constexpr double kMinAlpha = 0.05;
constexpr base::Duration kPauseAge = 33ms;  // tau
// For TCP: see the header.
constexpr double kMostRatio = 2;  // of CC-Rate to the highest rate
constexpr base::Duration kLongestPause = 1s;

}  // namespace

Decision VidaptivePolicy::decide(const Observation& o, const PathState&, base::Time now) {
  if (!std::exchange(started_, true)) {
    alpha_at_ = round_began_ = now;
    return {rate_, Reason::kStart};
  }
  note_round_trip(o, now);
  if (window_ == 0) return {rate_, Reason::kHold};
  const auto acked = o.delivered - std::exchange(delivered_, o.delivered);
  for (const auto& frame : o.frames) note_service(frame);
  if (acked.bytes() > 0) update_window(o, acked, now);
  update_alpha(now);
  const auto send = send_rate(o);
  const auto next = std::clamp(o.transport.video(alpha_ * send), limits_.min, limits_.max);
  ratios_.push_back({now, send / o.transport.wire(next)});
  Decision decision{rate_, Reason::kHold};
  if (std::abs(next / rate_ - 1) >= kRateDeadBand) {
    decision = {next, next > rate_ ? Reason::kCapacity : Reason::kBacklog};
    rate_ = next;
  }
  decision.pacing = send;
  decision.pause = pause(o, send, now);
  return decision;
}

void VidaptivePolicy::note_round_trip(const Observation& o, base::Time now) {
  if (o.srtt.count() == 0) return;
  auto newest = o.srtt;
  for (const auto& frame : o.frames) {
    if (frame.head_acked) newest = std::min(newest, *frame.head_acked - frame.departed);
  }
  round_trips_.push_back({now, base::seconds(newest)});
  while (now - round_trips_.front().at > kShortestTime) round_trips_.pop_front();
  const auto standing_time = std::max(o.srtt / 2, o.frame_interval);
  standing_ = shortest_ = round_trips_.back().seconds;
  for (const auto& [at, seconds] : round_trips_) {
    shortest_ = std::min(shortest_, seconds);
    if (now - at <= standing_time) standing_ = std::min(standing_, seconds);
  }
  if (window_ > 0) return;
  delivered_ = o.delivered;
  window_ = static_cast<double>((o.transport.wire(rate_) * o.srtt).bytes());
}

/// Copa, section 2.1.
void VidaptivePolicy::update_window(const Observation& o, base::ByteCount acked, base::Time now) {
  const double waits = standing_ - shortest_;
  const double mss = o.mss;
  const bool rises = waits <= 0 || mss / (kDelta * waits) >= window_ / standing_;
  const auto bytes = static_cast<double>(acked.bytes());
  if (starting_ && rises) {
    window_ += std::min(bytes, window_);
  } else {
    starting_ = false;
    if (rises != rises_) velocity_ = 1;
    rises_ = rises;
    const double step = std::min(velocity_ * mss * bytes / (kDelta * window_), window_ / 2);
    window_ += rises ? step : -step;
    update_velocity(o, now);
  }
  const double most =
      static_cast<double>((kMostRatio * o.transport.wire(limits_.max) * o.srtt).bytes());
  window_ = std::clamp(window_, kMinWindow * mss, std::max(most, kMinWindow * mss));
}

/// Once per round trip.
void VidaptivePolicy::update_velocity(const Observation& o, base::Time now) {
  if (now - round_began_ < std::max(o.srtt, o.frame_interval)) return;
  round_began_ = now;
  const bool rose = window_ > std::exchange(round_window_, window_);
  if (rose != rises_) {
    velocity_ = 1;
    same_direction_ = 0;
  } else if (++same_direction_ >= kSameDirection) {
    velocity_ *= 2;
  }
}

void VidaptivePolicy::note_service(const DeliveredFrame& frame) {
  double ratio = 1;
  while (!ratios_.empty() && ratios_.front().at <= frame.departed) {
    ratio = ratios_.front().seconds;
    if (ratios_.size() == 1 || ratios_[1].at > frame.departed) break;
    ratios_.pop_front();
  }
  const auto begun = std::max(frame.departed + base::from_seconds(standing_),
                              std::exchange(last_acked_, frame.acked));
  if (frame.acked > begun)
    services_.push_back({frame.acked, base::seconds(frame.acked - begun) * ratio});
}

void VidaptivePolicy::update_alpha(base::Time now) {
  if (now - alpha_at_ < kAlphaInterval) return;
  while (!services_.empty() && now - services_.front().at > kAlphaInterval) services_.pop_front();
  alpha_at_ = now;
  if (services_.empty()) return;
  std::vector<double> times;
  for (const auto& sample : services_) times.push_back(sample.seconds);
  std::ranges::sort(times);
  const double place = kPercentile * static_cast<double>(times.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, times.size() - 1);
  const double time = std::lerp(times[below], times[above], place - std::floor(place));
  alpha_ += kAlphaWeight * (std::clamp(kServiceTime / time, kMinAlpha, 1.0) - alpha_);
}

base::BitRate VidaptivePolicy::send_rate(const Observation& o) const {
  const base::ByteCount window{static_cast<std::int64_t>(window_)};
  return base::BitRate::of(window, o.srtt);
}

base::Duration VidaptivePolicy::pause(const Observation& o, base::BitRate send_rate,
                                      base::Time now) {
  const auto sent = o.delivered + o.in_flight + o.lost;
  const auto unsent = o.notsent + o.queued;
  offered_.note(sent + unsent, now);
  const auto oldest = offered_.since(sent);
  if (!oldest || now - *oldest <= kPauseAge) return {};
  return std::clamp(unsent / send_rate, o.frame_interval, kLongestPause);
}

}  // namespace abr
