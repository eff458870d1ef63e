#pragma once

#include "app/config/config.h"
#include "app/doctor/findings.h"
#include "app/doctor/sysctls.h"

namespace app {

/// Tests on a loopback connection what the kernel's TCP supports.
Findings examine_kernel(const Config& config, const Sysctls& sysctls = Sysctls{});

}  // namespace app
