#pragma once

#include "app/config/config.h"
#include "app/doctor/findings.h"
#include "app/doctor/sysctls.h"

namespace app {

/// What the kernel's TCP supports, tested on a loopback connection.
Findings examine_kernel(const Config& config, const Sysctls& sysctls = Sysctls{});

}  // namespace app
