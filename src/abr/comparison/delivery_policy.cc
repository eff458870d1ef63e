#include "abr/comparison/delivery_policy.h"

#include <algorithm>
#include <utility>

#include "abr/tuning.h"

namespace abr {

Decision DeliveryPolicy::decide(const Observation& o, const PathState&, base::Time now) {
  if (!std::exchange(started_, true)) return {rate_, Reason::kStart};
  if (o.delivery_rate.bps() == 0 || now < next_) return {rate_, Reason::kHold};
  next_ = now + o.srtt;
  const auto delivered = o.transport.video(kHeadroom * o.delivery_rate);
  if (o.app_limited && delivered <= rate_) return {rate_, Reason::kHold};
  const auto limited = std::clamp(delivered, limits_.min, limits_.max);
  const auto before = std::exchange(rate_, limited);
  if (before == rate_) return {rate_, Reason::kHold};
  return {rate_, before < rate_ ? Reason::kStep : Reason::kCapacity};
}

}  // namespace abr
