#include "server/cors.h"

#include <fmt/format.h>

#include <algorithm>

namespace server {

namespace {

constexpr std::string_view kAnyOrigin = "*";
constexpr const char* kAllowOrigin = "Access-Control-Allow-Origin: ";

// Headers that segment players read. dash.js sets its clock by Date if it has no other source.
constexpr const char* kExposeHeaders = "Access-Control-Expose-Headers: CMSD-Dynamic, Date";

bool in_origin(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view{".:-_[]"}.find(c) != std::string_view::npos;
}

bool is_origin(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    const auto host = text.substr(std::min(scheme.size(), text.size()));
    if (text.starts_with(scheme)) return !host.empty() && std::ranges::all_of(host, in_origin);
  }
  return false;
}

bool has(const std::vector<Origin>& allow, std::string_view one) {
  return std::ranges::find(allow, one, &Origin::name) != allow.end();
}

}  // namespace

base::Result<Origin> Origin::parse(std::string_view text) {
  if (text == kAnyOrigin || is_origin(text)) return Origin{std::string{text}};
  return base::Error{fmt::format(
      "\"{}\" is not an origin: write it as browsers do, such as \"https://example.com\", in lower "
      "case and without a path, or \"*\" for every origin",
      text)};
}

std::vector<std::string> cors_fields(const std::vector<Origin>& allow, std::string_view origin) {
  if (allow.empty()) return {};
  if (has(allow, kAnyOrigin)) return {std::string{kAllowOrigin}.append(kAnyOrigin), kExposeHeaders};
  // The response depends on the request's origin, so caches must not share it between origins.
  if (!has(allow, origin)) return {"Vary: Origin"};
  return {std::string{kAllowOrigin}.append(origin), kExposeHeaders, "Vary: Origin"};
}

std::vector<std::string> preflight_fields(const std::vector<Origin>& allow,
                                          std::string_view origin) {
  auto fields = cors_fields(allow, origin);
  fields.insert(fields.end(),
                {"Access-Control-Allow-Methods: GET, HEAD", "Access-Control-Allow-Headers: *",
                 "Access-Control-Max-Age: 86400"});  // a day; browsers cap it at two hours
  return fields;
}

}  // namespace server
