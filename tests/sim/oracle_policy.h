#pragma once

#include <functional>

#include "abr/rate_policy.h"

namespace sim {

/// Knows the capacity `lag` after it changes. Without a lag it is the reference for the rate. With
/// the least lag that a sender can have (a round trip and a frame) it is the reference for the
/// delay, because the frames on their way by then have to drain first. No I/O, no clock.
class OraclePolicy : public abr::RatePolicy {
 public:
  /// The capacity at a time, as TCP payload.
  using Capacity = std::function<base::BitRate(base::Time)>;

  OraclePolicy(const abr::RateLimits& limits, Capacity capacity, base::Duration lag)
      : limits_{limits}, capacity_{std::move(capacity)}, lag_{lag} {}

  abr::Decision decide(const abr::Observation& observation, const abr::PathState& path,
                       base::Time now) override;

  /// The video rate for a payload capacity, less a little for variation.
  static base::BitRate rate(base::BitRate payload, const abr::RateLimits& limits,
                            const abr::Transport& transport);

 private:
  const abr::RateLimits limits_;
  const Capacity capacity_;
  const base::Duration lag_;
};

}  // namespace sim
