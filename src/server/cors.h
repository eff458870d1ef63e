#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// What a browser must be told before a page of another origin may use what is sent: header fields,
/// "Name: value" (WHATWG Fetch, "HTTP-CORS protocol"). Without credentials. Pure.
namespace server {

/// Whose pages may: "https://example.com:8443" as browsers send it, or "*": everybody's. A value.
struct Origin {
  std::string name;
  static base::Result<Origin> parse(std::string_view text);
  const std::string& text() const { return name; }
  bool operator==(const Origin&) const = default;
};

/// Of media. `origin`: of the request; empty: none.
std::vector<std::string> cors_fields(const std::vector<Origin>& allow, std::string_view origin);

/// Of an answer to OPTIONS, by which a browser asks first.
std::vector<std::string> preflight_fields(const std::vector<Origin>& allow,
                                          std::string_view origin);

}  // namespace server
