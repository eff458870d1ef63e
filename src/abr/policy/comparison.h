#pragma once

#include <memory>
#include <span>

#include "abr/rate_policy.h"
#include "abr/settings.h"

/// The rules of others that `symbiosis` is compared with in bench/ and tests/sim. The product has
/// none of them (SYMCAST_COMPARISON).
namespace abr {

struct NamedPolicy {
  const char* name;  ///< as control.policy accepts it
  PolicyKind kind;
};

/// Empty in the product.
std::span<const NamedPolicy> comparison_policies();

/// Null in the product.
std::unique_ptr<RatePolicy> make_comparison_policy(const Settings& settings);

}  // namespace abr
