#pragma once

#include <optional>
#include <string_view>

namespace server {

/// A protocol that people send to an HTTP port by mistake.
struct OtherProtocol {
  std::string_view name;
  std::string_view hint;  ///< the alternative to use
};

/// The protocol of a client whose first bytes are `bytes`, which are no HTTP/1 request. Returns
/// nullopt if it is none that is known.
std::optional<OtherProtocol> other_protocol(std::string_view bytes);

}  // namespace server
