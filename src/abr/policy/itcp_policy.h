#pragma once

#include "abr/rate_policy.h"

namespace abr {

/// The rule of iTCP: J. Khan, R. Zaghal, "Performance Analysis of TCP Interactive based World Wide
/// Video Streaming over ABone", 2003 (paper 003, table 2 and section 5).
///
///            event, outside the guard                    event
///   ┌───────┐ rate *= retraction     ┌──────┐ rate *= retraction, hold *= 2
///   │ FULL  │───────────────────────▶│ HELD │◀──────────────┐
///   │ = max │                        └──────┘               │
///   └───────┘                            │ quiet for `hold` │
///       ▲                                ▼                  │
///       │ rate reaches max        ┌───────────┐             │
///       └─────────────────────────│ RESTORING │─────────────┘
///         hold = initial          └───────────┘ rate += restore_step * max, each restore_interval
///
/// Lazy: events within guard_rtts round trips of a retraction are the same congestion, which the
/// sender could not have cured yet, and change nothing but the time that quiet is counted from.
/// Binary back-off: a repeated event doubles the hold (up to hold_max), so that a path that keeps
/// losing is tried ever more seldom.
/// Quiet: no event, and no more than quiet_backlog unsent. What waits shows that the rate is still
/// too high, or has just been; a step up then would be taken back by the next event.
/// The paper gives the ratio (0.55) and the rule's name; the other constants are ours and
/// configurable.
class ItcpPolicy : public RatePolicy {
 public:
  ItcpPolicy(const ItcpSettings& settings, const RateLimits& limits);

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  Decision retract(const Observation& observation, base::Time now);
  Decision restore(base::Time now);

  const ItcpSettings settings_;
  const RateLimits limits_;
  base::BitRate rate_;
  base::Duration hold_;
  bool started_ = false;
  bool retracted_ = false;    ///< below max because of an event
  base::Time guard_until_{};  ///< events before it belong to the last retraction
  base::Time restore_at_{};   ///< the next step up
};

}  // namespace abr
