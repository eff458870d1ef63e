#pragma once

#include <cstddef>
#include <string>

#include "app/config/config.h"
#include "app/doctor/findings.h"
#include "base/result.h"

namespace app {

/// Proxies between viewers and the server. `local`: how many connections to the server's ports come
/// from this machine, where a proxy often is, or why that is unknown.
Findings examine_proxies(const Config& config, const base::Result<std::size_t>& local);

/// Counts these connections; those of a server that runs now.
base::Result<std::size_t> local_connections(const Config& config);

}  // namespace app
