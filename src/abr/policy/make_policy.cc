#include "abr/policy/make_policy.h"

#include "abr/policy/dbr_policy.h"
#include "abr/policy/delivery_policy.h"
#include "abr/policy/gcc_policy.h"
#include "abr/policy/itcp_policy.h"
#include "abr/policy/off_policy.h"
#include "abr/policy/symbiosis_policy.h"

namespace abr {

std::unique_ptr<RatePolicy> make_policy(const Settings& settings) {
  switch (settings.policy) {
    case PolicyKind::kOff:
      return std::make_unique<OffPolicy>(settings.rate);
    case PolicyKind::kItcp:
      return std::make_unique<ItcpPolicy>(settings.itcp, settings.rate);
    case PolicyKind::kDbr:
      return std::make_unique<DbrPolicy>(settings.rate);
    case PolicyKind::kDelivery:
      return std::make_unique<DeliveryPolicy>(settings.rate);
    case PolicyKind::kGcc:
      return std::make_unique<GccPolicy>(settings.rate);
    case PolicyKind::kSymbiosis:
      return std::make_unique<SymbiosisPolicy>(settings.rate, settings.itcp);
  }
  return nullptr;
}

}  // namespace abr
