#pragma once

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace server {

/// The value of `key` in a query of the form "a=1&b=2", undecoded. nullopt without that key.
inline std::optional<std::string_view> value_in(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    auto item = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (!item.starts_with(key) || item.size() <= key.size() || item[key.size()] != '=') continue;
    return item.substr(key.size() + 1);
  }
  return {};
}

/// The value of `key` as a number: nullopt without that key, an error if it is none of this type.
template <typename Number>
base::Result<std::optional<Number>> number_in(std::string_view query, std::string_view key) {
  const auto text = value_in(query, key);
  if (!text) return std::optional<Number>{};
  Number value{};
  const auto [rest, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || rest != text->data() + text->size()) {
    return base::Error{std::string{key} + " needs a whole number, of at most " +
                       std::to_string(std::numeric_limits<Number>::max())};
  }
  return std::optional{value};
}

/// What the URLs in a playlist, manifest or page have to end with, so that a query of its own URL,
/// such as an access token, goes along: "?a=1&b=2" without the keys that have a meaning here, or
/// "". Keeps only what may be in a query and in quotes (RFC 3986, 3.4).
std::string kept_query(std::string_view query);

}  // namespace server
