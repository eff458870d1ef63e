#include "base/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/utf8.h"

namespace base::log {

namespace {

/// The length of the character at the beginning of `text`, in UTF-8. 0 if it must not be written as
/// it is: a control character, which a terminal would obey, or a byte that is part of none.
std::size_t length_of_first(std::string_view text) {
  const auto [code, size] = first_character(text);
  return size > 0 && !is_control(code) ? size : 0;
}

bool needs_quotes(std::string_view value) {
  if (value.empty() || value.find_first_of(" \"=") != std::string_view::npos) return true;
  while (!value.empty()) {
    const auto length = length_of_first(value);
    if (length == 0) return true;
    value.remove_prefix(length);
  }
  return false;
}

/// The value comes from anybody: a client, a source, a proxy.
void append_quoted(std::string& line, std::string_view value) {
  line += '"';
  while (!value.empty()) {
    const char c = value.front();
    const auto length = length_of_first(value);
    if (c == '"' || c == '\\') line += '\\';
    if (c == '\n') {
      line += "\\n";
    } else if (length == 0) {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      line += value.substr(0, length);
    }
    value.remove_prefix(std::max<std::size_t>(length, 1));
  }
  line += '"';
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char c = text.front();
    const auto length = length_of_first(text);
    if (length > 0 || c == '\n') {
      out += text.substr(0, std::max<std::size_t>(length, 1));
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string line(std::string_view event, Fields fields) {
  std::string line{event};
  for (const auto& field : fields) {
    if (field.key().empty()) continue;
    line += ' ';
    line += field.key();
    line += '=';
    if (needs_quotes(field.value())) {
      append_quoted(line, field.value());
    } else {
      line += field.value();
    }
  }
  return line;
}

}  // namespace base::log
