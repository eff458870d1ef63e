#include <memory>
#include <span>

#include "abr/policy/comparison.h"

namespace abr {

std::span<const NamedPolicy> comparison_policies() { return {}; }

std::unique_ptr<RatePolicy> make_comparison_policy(const Settings& /*settings*/) { return nullptr; }

}  // namespace abr
