#pragma once

#include "app/config.h"
#include "app/findings.h"

namespace app {

/// CPUs, file descriptors, capabilities, addresses to listen on, the trace directory.
Findings examine_machine(const Config& config);

}  // namespace app
