#include "transcoder/secrets.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace transcoder {

namespace {

constexpr std::string_view kSecretMask = "***";
constexpr std::size_t kMinHiddenLength = 4;  // of a value that hide_secret() accepts

struct HiddenValues {
  std::mutex mutex;
  std::vector<std::string>
      values;  // GUARDED_BY(mutex); the longest first, as one may contain others
};

HiddenValues& hidden_values() {
  static auto& hidden = *new HiddenValues;  // threads of GStreamer log until the process ends
  return hidden;
}

void mask_hidden(std::string& text) {
  auto& hidden = hidden_values();
  std::lock_guard lock{hidden.mutex};
  for (const auto& value : hidden.values) {
    for (auto at = text.find(value); at != std::string::npos; at = text.find(value, at)) {
      text.replace(at, value.size(), kSecretMask);
      at += kSecretMask.size();
    }
  }
}

/// The value after a URI's percent-encoding, which GStreamer undoes for some messages.
std::string decoded(std::string_view value) {
  const auto digit = [](char c) { return std::string_view{"0123456789abcdef"}.find(c | 0x20); };
  std::string out;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool escape = value[i] == '%' && i + 2 < value.size();
    const auto high = escape ? digit(value[i + 1]) : std::string_view::npos;
    const auto low = escape ? digit(value[i + 2]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos) {
      out += value[i];
    } else {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

/// The value within quotes, as TOML and JSON write it.
std::string quoted_form(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// The position of the first of `delimiters` from `begin` on, else the end of the text.
std::size_t end_of(const std::string& text, std::size_t begin, const char* delimiters) {
  return std::min(text.find_first_of(delimiters, begin), text.size());
}

void mask_users(std::string& text) {
  constexpr std::string_view kBeforeHost = "://";
  for (auto at = text.find(kBeforeHost); at != std::string::npos; at = text.find(kBeforeHost, at)) {
    at += kBeforeHost.size();
    const auto host = text.rfind('@', end_of(text, at, "/?# \"'"));
    if (host != std::string::npos && host > at) text.replace(at, host - at, kSecretMask);
  }
}

void mask_values(std::string& text, std::string_view name) {
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    at += name.size();
    const bool quoted = at < text.size() && text[at] == '"';
    at += quoted;
    text.replace(at, end_of(text, at, quoted ? "\"" : "& ,\"'!") - at, kSecretMask);
  }
}

}  // namespace

std::string without_secrets(std::string text) {
  mask_hidden(text);
  mask_users(text);
  for (const auto* name : {"passphrase=", "password=", "user-pw=", "token="}) {
    mask_values(text, name);
  }
  return text;
}

void hide_secret(std::string_view value) {
  auto& hidden = hidden_values();
  std::lock_guard lock{hidden.mutex};
  const auto plain = decoded(value);
  for (auto form : {std::string{value}, plain, quoted_form(value), quoted_form(plain)}) {
    if (form.size() < kMinHiddenLength) continue;
    if (std::ranges::find(hidden.values, form) != hidden.values.end()) continue;
    hidden.values.push_back(std::move(form));
  }
  std::ranges::stable_sort(hidden.values, std::ranges::greater{}, &std::string::size);
}

}  // namespace transcoder
