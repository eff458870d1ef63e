#include "transcoder/wire/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace transcoder::wire {

namespace {

/// Characters that are invisible, break the line, or reverse the direction of the text after them.
struct Range {
  char32_t first;
  char32_t last;
};
constexpr std::array kUnprintable{Range{0x80, 0x9f},     Range{0x200b, 0x200f},
                                  Range{0x2028, 0x202e}, Range{0x2060, 0x206f},
                                  Range{0xd800, 0xdfff}, Range{0xfeff, 0xfeff}};

/// The bytes of the printable character at the beginning of `text`; 0 if there is none (RFC 3629).
std::size_t character(std::string_view text) {
  const auto lead = static_cast<std::uint8_t>(text.front());
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (text.size() < size) return 0;
  char32_t code = lead & (0x7f >> size);
  for (const char c : text.substr(1, size - 1)) {
    if ((c & 0xc0) != 0x80) return 0;
    code = code << 6 | (c & 0x3f);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};  // less is too long a form
  const auto contains = [&](const Range& range) {
    return code >= range.first && code <= range.last;
  };
  const bool valid = code >= kLeast[size] && code <= 0x10ffff;
  return valid && std::ranges::none_of(kUnprintable, contains) ? size : 0;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  text = text.substr(0, most);
  while (!text.empty()) {
    const auto size = character(text);
    out += size > 0 ? text.substr(0, size) : "?";
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

}  // namespace transcoder::wire
