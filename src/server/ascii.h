#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace server {

/// Whether two ASCII texts are the same but for upper and lower case.
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// `text` without spaces and tabs at its ends.
inline std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace server
