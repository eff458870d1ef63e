#pragma once

#include <iosfwd>

#include "app/config/config.h"
#include "app/top/top_options.h"

namespace app {

/// `symcast top`: shows the connections to the ports that `config` listens on, from what the kernel
/// knows of them; asks nothing of the server and needs no privileges. Until the user ends it, or
/// one table. Throws std::runtime_error when the kernel does not tell.
void top(const Config& config, const TopOptions& options, std::ostream& out);

}  // namespace app
