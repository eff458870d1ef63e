#pragma once

#include "app/config/config.h"

namespace app {

/// Sets the routes that [[tcp.network]] initcwnd asks for, with CAP_NET_ADMIN. One line in the log
/// for each; what cannot be set is a warning, and the route stays as it is.
void set_routes(const Config& config);

}  // namespace app
