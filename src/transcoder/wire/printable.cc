#include "transcoder/wire/printable.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"

namespace transcoder::wire {

namespace {

/// Characters that are invisible, break the line, or reverse the direction of the text after them.
struct Range {
  char32_t first;
  char32_t last;
};
constexpr std::array kUnprintable{Range{0x200b, 0x200f}, Range{0x2028, 0x202e},
                                  Range{0x2060, 0x206f}, Range{0xfeff, 0xfeff}};

/// The bytes of the printable character at the beginning of `text`; 0 if there is none (RFC 3629).
std::size_t character(std::string_view text) {
  const auto [code, size] = base::first_character(text);
  const auto contains = [code = code](const Range& range) {
    return code >= range.first && code <= range.last;
  };
  return base::is_control(code) || std::ranges::any_of(kUnprintable, contains) ? 0 : size;
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
