#pragma once

#include <functional>

#include "abr/rate_policy.h"

namespace sim {

/// Knows the capacity, `lag` after it has changed: without lag the rate to compare with, with the
/// lag that no sender can be without (a round trip and a frame) the delay to compare with, for
/// the frames that are on their way by then have to drain first. Pure.
class OraclePolicy : public abr::RatePolicy {
 public:
  /// Of TCP's payload, at a time.
  using Capacity = std::function<base::BitRate(base::Time)>;

  OraclePolicy(const abr::RateLimits& limits, Capacity capacity, base::Duration lag)
      : limits_{limits}, capacity_{std::move(capacity)}, lag_{lag} {}

  abr::Decision decide(const abr::Observation& observation, const abr::PathState& path,
                       base::Time now) override;

  /// Of the payload's capacity, as video: a little is left for what varies.
  static base::BitRate rate(base::BitRate payload, const abr::RateLimits& limits,
                            const abr::Transport& transport);

 private:
  const abr::RateLimits limits_;
  const Capacity capacity_;
  const base::Duration lag_;
};

}  // namespace sim
