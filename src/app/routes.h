#pragma once

#include "app/config/config.h"

namespace app {

/// Sets the initcwnd of routes as [[tcp.network]] says; needs CAP_NET_ADMIN. Logs one line per
/// route. A failure is a warning, and leaves the route unchanged.
void set_routes(const Config& config);

}  // namespace app
