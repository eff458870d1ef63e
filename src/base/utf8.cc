#include "base/utf8.h"

#include <array>

namespace base {

Utf8Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return {};
  char32_t code = lead & (0x7f >> size);
  for (const char c : text.substr(1, size - 1)) {
    if ((c & 0xc0) != 0x80) return {};
    code = code << 6 | (c & 0x3f);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};  // less is too long a form
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[size] || code > 0x10ffff || is_surrogate) return {};
  return {code, size};
}

}  // namespace base
