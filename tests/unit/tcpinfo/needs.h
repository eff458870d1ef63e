#pragma once

#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/capabilities.h"

namespace tcpinfo {

/// Ends the test: what it `needs` (CAP_*) could not be had. That is no fault without the
/// capabilities, and one with them: the verifier's, or a kernel that is not as we took it to be.
inline void end_without(std::initializer_list<int> needs, const std::string& why_not) {
  if (!std::ranges::all_of(needs, base::holds_capability)) GTEST_SKIP() << why_not;
  FAIL() << why_not;
}

}  // namespace tcpinfo
