#pragma once

#include <iosfwd>

#include "app/config/config.h"
#include "app/top/top_options.h"

namespace app {

/// `symcast top`: shows the connections to the ports that `config` listens on, until the user ends
/// it; with `once`, prints one table. It asks the kernel for the sockets and the server for
/// the viewers, and needs no privileges.
/// Throws std::runtime_error if the kernel does not list the sockets.
void top(const Config& config, const TopOptions& options, std::ostream& out);

}  // namespace app
