#include "abr/rate_policy.h"

#include "abr/itcp_policy.h"
#include "abr/off_policy.h"

namespace abr {

std::unique_ptr<RatePolicy> make_policy(const Settings& settings) {
  switch (settings.policy) {
    case PolicyKind::kOff:
      return std::make_unique<OffPolicy>(settings.rate);
    case PolicyKind::kItcp:
      return std::make_unique<ItcpPolicy>(settings.itcp, settings.rate);
  }
  return nullptr;
}

}  // namespace abr
