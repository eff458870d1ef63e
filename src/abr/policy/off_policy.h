#pragma once

#include <algorithm>

#include "abr/rate_policy.h"

namespace abr {

/// The paper's SYMBIOSIS=off: the rate stays where it started; events are only recorded, elsewhere.
class OffPolicy : public RatePolicy {
 public:
  explicit OffPolicy(const RateLimits& limits) : rate_{limits.start} {}

  Decision decide(const Observation&, const PathState&, base::Time) override {
    const Reason reason = started_ ? Reason::kHold : Reason::kStart;
    started_ = true;
    return {rate_, reason};
  }
  void set_limits(const RateLimits& limits) override {
    rate_ = std::clamp(rate_, limits.min, limits.max);
  }

 private:
  base::BitRate rate_;
  bool started_ = false;
};

}  // namespace abr
