#pragma once

#include <vector>

#include "base/unique_fd.h"
#include "server/address.h"

namespace server {

/// Binds to each endpoint and listens; dual-stack for [::]. Throws base::SystemError with the
/// endpoint.
std::vector<base::UniqueFd> listen_on(const std::vector<Endpoint>& endpoints);

/// Where a listening socket is bound: the port the kernel chose for port 0.
Endpoint bound_endpoint(const base::UniqueFd& listening);

}  // namespace server
