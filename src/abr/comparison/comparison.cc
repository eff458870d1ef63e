#include "abr/policy/comparison.h"

#include <array>
#include <memory>
#include <span>

#include "abr/comparison/camel_policy.h"
#include "abr/comparison/dbr_policy.h"
#include "abr/comparison/delivery_policy.h"
#include "abr/comparison/gcc_policy.h"
#include "abr/comparison/pudica_policy.h"
#include "abr/comparison/vidaptive_policy.h"

namespace abr {

namespace {

constexpr std::array<NamedPolicy, 6> kPolicies{{{"dbr", PolicyKind::kDbr},
                                                {"delivery", PolicyKind::kDelivery},
                                                {"gcc", PolicyKind::kGcc},
                                                {"pudica", PolicyKind::kPudica},
                                                {"camel", PolicyKind::kCamel},
                                                {"vidaptive", PolicyKind::kVidaptive}}};

}  // namespace

std::span<const NamedPolicy> comparison_policies() { return kPolicies; }

std::unique_ptr<RatePolicy> make_comparison_policy(const Settings& settings) {
  switch (settings.policy) {
    case PolicyKind::kCamel:
      return std::make_unique<CamelPolicy>(settings.rate);
    case PolicyKind::kDbr:
      return std::make_unique<DbrPolicy>(settings.rate);
    case PolicyKind::kDelivery:
      return std::make_unique<DeliveryPolicy>(settings.rate);
    case PolicyKind::kGcc:
      return std::make_unique<GccPolicy>(settings.rate);
    case PolicyKind::kPudica:
      return std::make_unique<PudicaPolicy>(settings.rate);
    case PolicyKind::kVidaptive:
      return std::make_unique<VidaptivePolicy>(settings.rate);
    default:
      return nullptr;
  }
}

}  // namespace abr
