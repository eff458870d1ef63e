#pragma once

#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/capabilities.h"

namespace tcpinfo {

/// Ends the test because loading failed for the reason `why_not`. Skips it if we lack one of the
/// capabilities it `needs` (CAP_*); otherwise fails, because then the verifier refused or the
/// kernel is not as we assumed.
inline void end_without(std::initializer_list<int> needs, const std::string& why_not) {
  if (!std::ranges::all_of(needs, base::holds_capability)) GTEST_SKIP() << why_not;
  FAIL() << why_not;
}

}  // namespace tcpinfo
