#pragma once

#include <memory>

#include "abr/rate_policy.h"
#include "abr/settings.h"

namespace abr {

/// The policy that `settings` names. Its first decision is {rate.start, kStart}.
std::unique_ptr<RatePolicy> make_policy(const Settings& settings);

}  // namespace abr
