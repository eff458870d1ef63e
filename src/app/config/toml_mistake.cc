#include "app/config/toml_mistake.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace app {

namespace {

// Longer values are not repeated in a message.
constexpr std::size_t kMaxQuoted = 40;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    out.push_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool is_key(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

/// A key or item of another format: "key: value", "- item" or "- key: value" of YAML.
bool is_yaml(std::string_view line) {
  if (line.starts_with("- ")) return true;
  const auto colon = line.find(':');
  return colon != std::string_view::npos && is_key(trim(line.substr(0, colon))) &&
         (colon + 1 == line.size() || line[colon + 1] == ' ');
}

bool has_curly_quotes(std::string_view line) {
  constexpr std::array kCurly{"\u2018", "\u2019", "\u201c", "\u201d", "\u201e", "\u00ab", "\u00bb"};
  return std::ranges::any_of(kCurly, [&](const char* quote) { return contains(line, quote); });
}

/// How another language writes true or false.
bool is_switch(std::string_view value) {
  std::string lower;
  for (const char c : value) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::array<std::string_view, 6> kSwitches{"true", "false", "yes", "no", "on", "off"};
  return std::ranges::find(kSwitches, lower) != kSwitches.end();
}

bool is_number(std::string_view value) {
  return value.find_first_not_of("0123456789+-._") == std::string_view::npos;
}

bool is_quoted(std::string_view value) { return value.starts_with('"') || value.starts_with('\''); }

/// "max = \"5M\"", as it should be written.
std::string quoted_assignment(std::string_view key, std::string_view value) {
  const bool repeat = value.size() <= kMaxQuoted && !contains(value, "://");
  return fmt::format("{} = \"{}\"", key, repeat ? value : "...");
}

std::string mistake_in_value(std::string_view key, std::string_view value) {
  if (value.empty()) return fmt::format("{} has no value: write it after the =", key);
  if (is_quoted(value)) {
    if (value.find('\\') != std::string_view::npos && value.starts_with('"')) {
      return "\\ begins an escape in double quotes: write \\\\, or use single quotes";
    }
    const bool closed = value.size() > 1 && value.back() == value.front();
    return closed ? "" : "the closing quote is missing";
  }
  if (value.starts_with('{') || is_number(value)) return {};
  if (is_switch(value)) return fmt::format("write {} = true or {} = false", key, key);
  if (value.starts_with('[') && value.ends_with(']') &&
      value.find_first_of("\"'") == std::string_view::npos) {
    return fmt::format("texts in a list need quotes: write {} = [\"...\"]", key);
  }
  if (value.starts_with('[') && !contains(value, "]:")) return {};
  return "text needs quotes: write " + quoted_assignment(key, value);
}

/// Line of the first occurrence of `wanted` before `line`; 0 if there is none. Both from 1.
std::size_t first_line(const std::vector<std::string_view>& lines, std::size_t line,
                       std::string_view wanted) {
  const auto end = lines.begin() + static_cast<std::ptrdiff_t>(line - 1);
  const auto found = std::find(lines.begin(), end, wanted);
  return found == end ? 0 : static_cast<std::size_t>(found - lines.begin()) + 1;
}

/// Line of the key before `line` in the same section; 0 if there is none. Both from 1.
std::size_t first_key(const std::vector<std::string_view>& lines, std::size_t line,
                      std::string_view key) {
  for (std::size_t i = line - 1; i-- > 0 && !lines[i].starts_with('[');) {
    if (trim(lines[i].substr(0, lines[i].find('='))) == key) return i + 1;
  }
  return 0;
}

std::string second_definition(const std::vector<std::string_view>& lines, std::size_t line) {
  const auto text = lines[line - 1];
  if (text.starts_with('[')) {
    const auto first = first_line(lines, line, text);
    if (first == 0) return {};
    return fmt::format("{} is already in line {}: put all its keys there", text, first);
  }
  const auto key = trim(text.substr(0, text.find('=')));
  const auto first = first_key(lines, line, key);
  return first == 0 ? "" : fmt::format("{} is already in line {}: keep one of them", key, first);
}

std::string known_mistake(const std::vector<std::string_view>& lines, std::size_t line,
                          std::string_view description) {
  if (line == 0 || line > lines.size()) return {};
  const auto text = lines[line - 1];
  if (has_curly_quotes(text)) return "these are typographic quotes: write plain ones, \"";
  if (text.starts_with(';') || text.starts_with("//")) return "comments begin with #";
  if (text.starts_with('{'))
    return "this looks like JSON: write [section], and key = value below it";
  if (contains(description, "cannot redefine")) return second_definition(lines, line);
  if (text.starts_with('[')) return "a section is written [name], a stream [[stream]]";
  const auto equals = text.find('=');
  if (equals != std::string_view::npos && is_key(trim(text.substr(0, equals)))) {
    return mistake_in_value(trim(text.substr(0, equals)), trim(text.substr(equals + 1)));
  }
  if (is_yaml(text)) return "this looks like YAML: write [section], and key = value below it";
  const auto space = text.find_first_of(" \t");
  if (equals == std::string_view::npos && space != std::string_view::npos &&
      is_key(text.substr(0, space))) {
    return fmt::format("a = is missing: write {} = ...", text.substr(0, space));
  }
  if (text.ends_with(',') && !is_quoted(text)) return "texts in a list need quotes";
  return {};
}

}  // namespace

std::string toml_mistake(std::string_view text, std::size_t line, std::string_view description) {
  auto known = known_mistake(lines_of(text), line, description);
  return known.empty() ? std::string{description} : known;
}

}  // namespace app
