#include "oracle_policy.h"

#include <algorithm>

namespace sim {

namespace {
constexpr double kUsed = 0.95;
constexpr unsigned kSkip = 2;  // frames of three, while what waits drains
}  // namespace

abr::Decision OraclePolicy::decide(const abr::Observation& o, const abr::PathState&,
                                   base::Time now) {
  const auto payload = capacity_(now - lag_);
  const auto pipe = kUsed * payload * (o.min_rtt + 2 * o.frame_interval);
  if (lag_.count() > 0 && o.queued + o.notsent + o.in_flight > pipe) {
    return {.rate = limits_.min, .reason = abr::Reason::kBacklog, .skip = kSkip};
  }
  return {rate(payload, limits_, o.transport), abr::Reason::kCapacity};
}

base::BitRate OraclePolicy::rate(base::BitRate payload, const abr::RateLimits& limits,
                                 const abr::Transport& transport) {
  return std::clamp(transport.video(kUsed * payload), limits.min, limits.max);
}

}  // namespace sim
