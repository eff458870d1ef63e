#pragma once

#include "app/config.h"
#include "app/findings.h"

namespace app {

/// What the kernel's TCP offers, found out on a connection over loopback.
Findings examine_kernel(const Config& config);

}  // namespace app
