#include "transcoder/secrets.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.h"

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
    return there ? std::string_view{"0123456789abcdef"}.find(text[at] | 0x20)
                 : std::string_view::npos;
  };
  const auto high = text.starts_with('%') ? digit(1) : std::string_view::npos;
  const auto low = digit(2);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<char>(high * 16 + low);
}

/// The text without percent-encoding, which GStreamer undoes for some messages.
std::string percent_decoded(std::string_view text) {
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

/// A part of a text, without its end.
struct Range {
  std::size_t begin;
  std::size_t end;
};
using Ranges = std::vector<Range>;

/// Finds "user:password" between "://" and '@'. A password that was not percent-encoded may have
/// any character of a URI in it, so with a ':' the last '@' counts.
void find_users(const std::string& text, Ranges& found) {
  constexpr std::string_view kBeforeHost = "://";
  for (auto at = text.find(kBeforeHost); at != std::string::npos; at = text.find(kBeforeHost, at)) {
    at += kBeforeHost.size();
    auto host = text.rfind('@', end_of(text, at, " \"'"));
    if (host == std::string::npos || host < at) continue;
    if (text.find(':', at) > host) host = text.rfind('@', end_of(text, at, "/?# \"'"));
    if (host != std::string::npos && host > at) found.push_back({at, host});
  }
}

/// The position behind `name`, in any case, "=" and the blanks around it, if `text` has them at
/// `at`.
std::optional<std::size_t> value_at(const std::string& text, std::size_t at,
                                    std::string_view name) {
  const auto word = std::string_view{text}.substr(at, name.size());
  if (!base::equal_ignoring_case(word, name)) return std::nullopt;
  at = text.find_first_not_of(' ', at + name.size());
  if (at == std::string::npos || text[at] != '=') return std::nullopt;
  return std::min(text.find_first_not_of(' ', at + 1), text.size());
}

/// The position of the quote that ends a text which begins at `begin`. A backslash quotes the
/// character behind it.
std::size_t end_of_quoted(const std::string& text, std::size_t begin) {
  for (; begin < text.size() && text[begin] != '"'; ++begin) begin += text[begin] == '\\';
  return std::min(begin, text.size());
}

void find_values(const std::string& text, std::string_view name, Ranges& found) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto value = value_at(text, i, name);
    if (!value) continue;
    const bool quoted = *value < text.size() && text[*value] == '"';
    const auto begin = *value + quoted;
    found.push_back({begin, quoted ? end_of_quoted(text, begin) : end_of(text, begin, "& ,\"'!")});
  }
}

/// Masks each part, and those that overlap together.
std::string masked(const std::string& text, Ranges parts) {
  std::ranges::sort(parts, {}, &Range::begin);
  std::string out;
  std::size_t at = 0;
  for (auto part = parts.begin(); part != parts.end();) {
    auto [begin, end] = *part++;
    for (; part != parts.end() && part->begin <= end; ++part) end = std::max(end, part->end);
    out.append(text, at, begin - at).append(kSecretMask);
    at = end;
  }
  return out.append(text, at);
}

/// A user may look like a value, and a value like a user, so both are found before one is masked.
std::string without_known_forms(const std::string& text) {
  Ranges found;
  find_users(text, found);
  for (const auto* name : {"passphrase", "password", "user-pw", "token"}) {
    find_values(text, name, found);
  }
  return masked(text, std::move(found));
}

}  // namespace

std::string without_secrets(std::string text) {
  mask_hidden(text);
  std::string before;
  do {  // until nothing is left: a mask may be part of a user, as in "://token=/!@host"
    before = std::exchange(text, without_known_forms(text));
  } while (text != before);
  return text;
}

void hide_secret(std::string_view value) {
  auto& hidden = hidden_values();
  std::lock_guard lock{hidden.mutex};
  for (auto form : {std::string{value}, percent_decoded(value)}) {
    if (form.size() < kMinHiddenLength) continue;
    if (std::ranges::find(hidden.values, form) != hidden.values.end()) continue;
    hidden.values.push_back(std::move(form));
  }
  std::ranges::stable_sort(hidden.values, std::ranges::greater{}, &std::string::size);
}

}  // namespace transcoder
