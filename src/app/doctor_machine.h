#pragma once

#include "app/config.h"
#include "app/findings.h"
#include "app/sysctls.h"

namespace app {

/// CPUs, file descriptors, capabilities, addresses to listen on, the trace directory.
Findings examine_machine(const Config& config, const Sysctls& sysctls = Sysctls{});

}  // namespace app
