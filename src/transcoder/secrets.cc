#include "transcoder/secrets.h"

#include <algorithm>
#include <string_view>

namespace transcoder {

namespace {

constexpr std::string_view kSecretMask = "***";

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
  mask_users(text);
  for (const auto* name : {"passphrase=", "password=", "user-pw=", "token="}) {
    mask_values(text, name);
  }
  return text;
}

}  // namespace transcoder
