#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "server/address.h"

/// The header by which a proxy that passes TCP connections on names the client's address, before
/// any byte of the client (W. Tarreau, "The PROXY protocol", versions 1 and 2). Pure functions.
namespace server {

struct ProxyHeader {
  enum class Status {
    kNone,        ///< the connection begins with something else
    kIncomplete,  ///< more bytes are needed to tell
    kInvalid,
    kComplete,
  };

  Status status = Status::kNone;
  std::size_t size = 0;  ///< bytes, if complete
  /// nullopt if the proxy speaks for itself, such as for a health check, or does not know.
  std::optional<Address> client{};
};

/// `bytes`: the first of a connection.
ProxyHeader parse_proxy_header(std::string_view bytes);

}  // namespace server
