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
/// Lazy: events within guard_rtts round trips after a retraction belong to the same congestion,
/// which the sender could not have ended yet. They only restart the quiet time.
/// Binary back-off: a repeated event doubles the hold, up to hold_max, so that a lossy path is
/// tried less and less often.
/// Quiet: no event, and no more than quiet_backlog unsent. A longer backlog shows that the rate is
/// still too high, or has just been; the next event would take back a step up.
/// The paper defines the ratio (0.55) and the rule's name; the other constants are ours and
/// configurable.
class ItcpPolicy : public RatePolicy {
 public:
  ItcpPolicy(const ItcpSettings& settings, const RateLimits& limits);

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;
  void set_limits(const RateLimits& limits) override;

 private:
  Decision retract(const Observation& observation, base::Time now);
  Decision restore(base::Time now);

  const ItcpSettings settings_;
  RateLimits limits_;
  base::BitRate rate_;
  base::Duration hold_;
  bool started_ = false;
  bool retracted_ = false;    ///< an event has lowered the rate below max
  base::Time guard_until_{};  ///< events before this belong to the last retraction
  base::Time restore_at_{};   ///< time of the next step up
};

}  // namespace abr
