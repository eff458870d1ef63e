#pragma once

#include <string>

#include "base/address.h"

namespace server {

using base::Address;
using base::contains;
using base::Endpoint;
using base::Network;

/// HOST:PORT at which this machine reaches a server that listens on `endpoint`: "localhost:8080"
/// for "[::]:8080".
std::string reachable_text(const Endpoint& endpoint);

}  // namespace server
