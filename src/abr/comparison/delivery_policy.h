#pragma once

#include "abr/rate_policy.h"

namespace abr {

/// Takes the kernel's delivery rate for the path's capacity, for comparison: the rule of a sender
/// that fills the path. A lower delivery rate is followed at once, but an application-limited one
/// only upwards (draft-cheng-iccrg-delivery-rate-estimation), which is rare for video.
class DeliveryPolicy : public RatePolicy {
 public:
  explicit DeliveryPolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  const RateLimits limits_;
  base::BitRate rate_;
  base::Time next_{};  ///< no change before
  bool started_ = false;
};

}  // namespace abr
