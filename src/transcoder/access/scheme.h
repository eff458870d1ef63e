#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace transcoder::access {

/// The scheme of a URI, in lower case; empty if it has none.
std::string scheme_of(std::string_view uri);

/// The schemes that a source of this scheme may open: {"http", "https"} for each of them.
std::vector<std::string> scheme_family(const std::string& scheme);

/// The port of a scheme if the URI names none; 0 if the scheme has none either.
std::uint16_t default_port(std::string_view scheme);

/// In lower case and without the dot at the end: so names of hosts are compared (RFC 4343).
std::string host_name(std::string_view host);

/// Whether the name means this machine, whatever DNS says (RFC 6761, 6.3).
bool is_localhost(std::string_view host_name);

}  // namespace transcoder::access
