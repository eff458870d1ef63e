#include "abr/policy/itcp_policy.h"

#include <algorithm>
#include <utility>

namespace abr {

namespace {
// The guard's round trip before the first RTT measurement: a long one of the Internet. RFC 6298's
// initial RTO of 1 s would hide real repetitions, a shorter one would count one congestion twice.
// Not measured against other values.
constexpr base::Duration kAssumedRtt = std::chrono::milliseconds{200};
}  // namespace

ItcpPolicy::ItcpPolicy(const ItcpSettings& settings, const RateLimits& limits)
    : settings_{settings}, limits_{limits}, rate_{limits.start}, hold_{settings.hold} {}

Decision ItcpPolicy::decide(const Observation& observation, const PathState&, base::Time now) {
  if (!started_) {
    started_ = true;
    restore_at_ = now + hold_;
    return {rate_, Reason::kStart};
  }
  if (observation.rexmt + observation.dupack > 0) return retract(observation, now);
  if (observation.backlog > settings_.quiet_backlog) {
    restore_at_ = std::max(restore_at_, now + settings_.restore_interval);
  }
  return restore(now);
}

void ItcpPolicy::set_limits(const RateLimits& limits) {
  limits_ = limits;
  rate_ = std::clamp(rate_, limits.min, limits.max);
}

Decision ItcpPolicy::retract(const Observation& observation, base::Time now) {
  if (now < guard_until_) {
    restore_at_ = now + hold_;
    return {rate_, Reason::kHold};
  }
  if (retracted_) hold_ = std::min(2 * hold_, settings_.hold_max);
  retracted_ = true;
  restore_at_ = now + hold_;
  const base::Duration rtt = observation.srtt.count() > 0 ? observation.srtt : kAssumedRtt;
  guard_until_ = now + base::from_seconds(settings_.guard_rtts * base::seconds(rtt));
  // A shared group may have served less than the viewer was thought to sustain.
  const bool served_less = observation.served.bps() > 0 && observation.served < rate_;
  const base::BitRate before = served_less ? observation.served : rate_;
  const base::BitRate retracted = std::max(limits_.min, settings_.retraction * before);
  if (std::exchange(rate_, retracted) == retracted) return {rate_, Reason::kHold};  // the floor
  return {rate_, observation.rexmt > 0 ? Reason::kRexmt : Reason::kDupack};
}

Decision ItcpPolicy::restore(base::Time now) {
  if (rate_ >= limits_.max || now < restore_at_) return {rate_, Reason::kHold};
  rate_ = std::min(limits_.max, rate_ + settings_.restore_step * limits_.max);
  restore_at_ = now + settings_.restore_interval;
  if (rate_ == limits_.max) {
    retracted_ = false;
    hold_ = settings_.hold;
  }
  return {rate_, Reason::kRestore};
}

}  // namespace abr
