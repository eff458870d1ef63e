#pragma once

#include <vector>

#include "base/unique_fd.h"
#include "server/address.h"

namespace server {

/// Binds to each endpoint and listens; [::] listens on IPv4 as well. Throws
/// std::runtime_error, which names the endpoint and says how to correct the most frequent errors.
std::vector<base::UniqueFd> listen_on(const std::vector<Endpoint>& endpoints);

/// The endpoint a socket listens on, with the port that the kernel chose for port 0.
Endpoint bound_endpoint(const base::UniqueFd& listening);

}  // namespace server
