#include "abr/policy/make_policy.h"

#include "abr/policy/comparison.h"
#include "abr/policy/itcp_policy.h"
#include "abr/policy/off_policy.h"
#include "abr/policy/symbiosis_policy.h"

namespace abr {

std::unique_ptr<RatePolicy> make_policy(const Settings& settings) {
  switch (settings.policy) {
    case PolicyKind::kSymbiosis:
      return std::make_unique<SymbiosisPolicy>(settings.rate, settings.itcp);
    case PolicyKind::kItcp:
      return std::make_unique<ItcpPolicy>(settings.itcp, settings.rate);
    case PolicyKind::kOff:
      return std::make_unique<OffPolicy>(settings.rate);
    default:
      return make_comparison_policy(settings);
  }
}

}  // namespace abr
