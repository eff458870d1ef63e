#include "transcoder/secrets.h"

#include <algorithm>
#include <mutex>
#include <optional>
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

/// The byte that a percent-encoding at the beginning of `text` stands for; nullopt if there is
/// none.
std::optional<char> escaped(std::string_view text) {
  const auto digit = [&](std::size_t at) {
    const bool there = at < text.size();
    return there ? std::string_view{"0123456789abcdef"}.find(text[at] | 0x20) : text.npos;
  };
  const auto high = text.starts_with('%') ? digit(1) : text.npos;
  const auto low = digit(2);
  if (high == text.npos || low == text.npos) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

/// The text without percent-encoding, which GStreamer undoes for some messages.
std::string decoded(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = escaped(text);
    out += byte.value_or(text.front());
    text.remove_prefix(byte ? 3 : 1);
  }
  return out;
}

/// The length of the beginning of `text` that is `value`: as it is, percent-encoded in part or
/// whole as in a URI, or with backslashes as within quotes. 0 if it is not there.
std::size_t length_of(std::string_view value, std::string_view text) {
  if (text.starts_with(value)) return value.size();
  std::size_t length = 0;
  for (const char c : value) {
    const auto rest = text.substr(length);
    const bool quoted =
        (c == '"' || c == '\\') && rest.size() > 1 && rest[0] == '\\' && rest[1] == c;
    const auto byte = escaped(rest);
    if (rest.empty() || (!quoted && byte.value_or(rest.front()) != c)) return 0;
    length += quoted ? 2 : byte ? 3 : 1;
  }
  return length;
}

void mask_hidden(std::string& text) {
  auto& hidden = hidden_values();
  std::lock_guard lock{hidden.mutex};
  for (const auto& value : hidden.values) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto length = length_of(value, std::string_view{text}.substr(at));
      if (length == 0) continue;
      text.replace(at, length, kSecretMask);
      at += kSecretMask.size() - 1;
    }
  }
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
  for (auto form : {std::string{value}, decoded(value)}) {
    if (form.size() < kMinHiddenLength) continue;
    if (std::ranges::find(hidden.values, form) != hidden.values.end()) continue;
    hidden.values.push_back(std::move(form));
  }
  std::ranges::stable_sort(hidden.values, std::ranges::greater{}, &std::string::size);
}

}  // namespace transcoder
