#pragma once

#include "app/config/config.h"
#include "app/doctor/findings.h"
#include "app/doctor/sysctls.h"

namespace app {

/// CPUs, file descriptors, capabilities, addresses to listen on and the trace directory.
Findings examine_machine(const Config& config, const Sysctls& sysctls = Sysctls{});

}  // namespace app
