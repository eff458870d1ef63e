#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

/// Header fields ("Name: value") by which a browser lets a page of another origin use a response
/// (WHATWG Fetch, "HTTP-CORS protocol"). Without credentials. Pure functions.
namespace server {

/// An origin whose pages may use the media: "https://example.com:8443" as browsers send it, or "*"
/// for every origin. A value.
struct Origin {
  std::string name;
  static base::Result<Origin> parse(std::string_view text);
  const std::string& text() const { return name; }
  bool operator==(const Origin&) const = default;
};

/// Fields of a response that pages of other origins may read: media, and errors. `origin`: the
/// request's, or empty.
std::vector<std::string> cors_fields(const std::vector<Origin>& allow, std::string_view origin);

/// Fields of a response to OPTIONS, a browser's preflight request.
std::vector<std::string> preflight_fields(const std::vector<Origin>& allow,
                                          std::string_view origin);

}  // namespace server
