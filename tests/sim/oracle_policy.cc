#include "oracle_policy.h"

#include <algorithm>

namespace sim {

namespace {
constexpr double kUsedShare = 0.95;  // of the capacity; the rest is for variation
constexpr int kSkippedFrames = 2;    // of three, while a backlog drains
}  // namespace

abr::Decision OraclePolicy::decide(const abr::Observation& o, const abr::PathState&,
                                   base::Time now) {
  const auto payload = capacity_(now - lag_);
  const auto pipe = kUsedShare * payload * (o.min_rtt + 2 * o.frame_interval);
  if (lag_.count() > 0 && o.queued + o.notsent + o.in_flight > pipe) {
    return {.rate = limits_.min,
            .reason = abr::Reason::kBacklog,
            .pause = kSkippedFrames * o.frame_interval};
  }
  return {rate(payload, limits_, o.transport), abr::Reason::kCapacity};
}

base::BitRate OraclePolicy::rate(base::BitRate payload, const abr::RateLimits& limits,
                                 const abr::Transport& transport) {
  return std::clamp(transport.video(kUsedShare * payload), limits.min, limits.max);
}

}  // namespace sim
