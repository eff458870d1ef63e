#pragma once

#include <cstddef>
#include <string_view>

namespace base {

/// A character in UTF-8 (RFC 3629).
struct Utf8Character {
  char32_t code = 0;
  std::size_t size = 0;  ///< bytes; 0 for none: the bytes are no UTF-8
};

/// The one at the beginning of `text`. REQUIRES: `text` is not empty.
Utf8Character first_character(std::string_view text);

/// Whether a terminal obeys it instead of showing it (C0, DEL and C1).
constexpr bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7f && code <= 0x9f); }

}  // namespace base
