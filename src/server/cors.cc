#include "server/cors.h"

#include <fmt/format.h>

#include <algorithm>

namespace server {

namespace {

constexpr std::string_view kEverybody = "*";
constexpr const char* kAllowOrigin = "Access-Control-Allow-Origin: ";

// What segment players read beside the bytes: dash.js sets its clock by Date where it has no other.
constexpr const char* kExposed = "Access-Control-Expose-Headers: CMSD-Dynamic, Date";

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
  if (text == kEverybody || is_origin(text)) return Origin{std::string{text}};
  return base::Error{fmt::format(
      "\"{}\" is not an origin: write it as browsers do, such as \"https://example.com\", in lower "
      "case and without a path, or \"*\" for everybody",
      text)};
}

std::vector<std::string> cors_fields(const std::vector<Origin>& allow, std::string_view origin) {
  if (allow.empty()) return {};
  if (has(allow, kEverybody)) return {std::string{kAllowOrigin}.append(kEverybody), kExposed};
  // Caches must keep apart what differs by who asks.
  if (!has(allow, origin)) return {"Vary: Origin"};
  return {std::string{kAllowOrigin}.append(origin), kExposed, "Vary: Origin"};
}

std::vector<std::string> preflight_fields(const std::vector<Origin>& allow,
                                          std::string_view origin) {
  auto fields = cors_fields(allow, origin);
  fields.insert(fields.end(),
                {"Access-Control-Allow-Methods: GET, HEAD", "Access-Control-Allow-Headers: *",
                 "Access-Control-Max-Age: 86400"});  // browsers keep it for two hours at most
  return fields;
}

}  // namespace server
