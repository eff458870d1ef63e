#include "server/address.h"

#include <fmt/format.h>

namespace server {

std::string reachable_text(const Endpoint& endpoint) {
  const auto address = endpoint.address.text();
  if (address == "::" || address == "0.0.0.0") return fmt::format("localhost:{}", endpoint.port);
  return endpoint.text();
}

}  // namespace server
