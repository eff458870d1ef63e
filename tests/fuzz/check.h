#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

/// Aborts with the place, the condition and the values if a property does not hold:
/// CHECK(parsed == value, text, value).
#define CHECK(condition, ...)                                                       \
  do {                                                                              \
    if (!(condition)) {                                                             \
      ::fuzz::fail(__FILE__, __LINE__, #condition, ::fuzz::values_of(__VA_ARGS__)); \
    }                                                                               \
  } while (false)

namespace fuzz {

/// In quotes; bytes that are not printable ASCII, quotes and backslashes as \xNN.
inline std::string shown(std::string_view text) {
  std::string out{'"'};
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      out += c;
      continue;
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    out.append("\\x").append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return out + '"';
}

template <typename T>
std::string shown(const T& value) requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) {
  if constexpr (std::is_enum_v<T>) {
    return shown(static_cast<std::underlying_type_t<T>>(value));
  } else {
    return std::to_string(value);
  }
}

template <typename... Values>
std::string values_of(const Values&... values) {
  return (std::string{} + ... + (' ' + shown(values)));
}

[[noreturn]] inline void fail(const char* file, int line, const char* condition,
                              const std::string& values) {
  std::fprintf(stderr, "%s:%d: does not hold: %s%s%s\n", file, line, condition,
               values.empty() ? "" : ", with", values.c_str());
  std::abort();
}

}  // namespace fuzz
