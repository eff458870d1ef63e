#pragma once

#include "abr/rate_policy.h"

namespace abr {

/// The kernel's delivery rate as the path's capacity, for comparison: what a sender that fills the
/// path would do. Below the rate it is followed at once; of an application-limited sample only what
/// is above counts (draft-cheng-iccrg-delivery-rate-estimation), which for video is seldom news.
class DeliveryPolicy : public RatePolicy {
 public:
  explicit DeliveryPolicy(const RateLimits& limits) : limits_{limits}, rate_{limits.start} {}

  Decision decide(const Observation& observation, const PathState& path, base::Time now) override;

 private:
  const RateLimits limits_;
  base::BitRate rate_;
  base::Time next_{};
  bool started_ = false;
};

}  // namespace abr
