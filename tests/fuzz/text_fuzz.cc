#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/log_line.h"
#include "fuzz/check.h"
#include "fuzz/target.h"
#include "transcoder/gst/gst_error.h"
#include "transcoder/secrets.h"

// Texts of sources, proxies and clients on their way to the log. The first byte chooses where a
// secret is put into the text; zero bytes separate the texts around it.

namespace {

// As no other part of a text reads.
constexpr std::string_view kSecret = "S3cr3t";
constexpr std::string_view kHidden = "h/dd3n@v a\"lue";

/// In the whole process, so once.
void hide_once() {
  [[maybe_unused]] static const bool done = (transcoder::hide_secret(kHidden), true);
}

std::string without(std::string_view characters, std::string_view text) {
  std::string out{text};
  std::erase_if(out, [&](char c) { return characters.find(c) != characters.npos; });
  return out;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append("%").append({kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return out;
}

/// The fuzzer learns kSecret from comparisons, and puts it where nothing is secret.
std::string without_planted(std::string text) {
  for (auto at = text.find(kSecret); at != text.npos; at = text.find(kSecret)) {
    text.erase(at, kSecret.size());
  }
  return text;
}

std::string_view take_text(std::string_view& rest) {
  const auto text = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(text.size() + 1, rest.size()));
  return text;
}

void check_secrets(const std::string& text) {
  const auto masked = transcoder::without_secrets(text);
  CHECK(transcoder::without_secrets(masked) == masked, text, masked);
}

void check_masked(const std::string& text, std::string_view secret) {
  const auto masked = transcoder::without_secrets(text);
  CHECK(masked.find(secret) == masked.npos, text, masked);
}

/// A text that has kSecret, or kHidden, in one of the places that are known to be secret.
void check_planted(unsigned form, std::string_view rest) {
  constexpr std::array<std::string_view, 4> kNames{"passphrase", "password", "user-pw", "ToKeN"};
  // With '=' in it, all that follows may be part of another value.
  const auto before = without_planted(without(form % 8 < 4 ? "=" : "", take_text(rest)));
  const auto first = take_text(rest);
  const auto second = take_text(rest);
  const auto name = std::string{kNames[form / 8 % kNames.size()]};
  const auto secret = [&](std::string_view ends) {
    return without(ends, first) + std::string{kSecret} + without(ends, second);
  };
  switch (form % 8) {
    case 0:
      return check_masked(before + "://user:" + secret(" \"'") + "@host/" + std::string{rest},
                          kSecret);
    case 1:
      return check_masked(before + "://" + secret(" \"'/?#@") + "@host/" + std::string{rest},
                          kSecret);
    case 2:
      return check_masked(before + name + '=' + secret("& ,\"'!") + ' ' + std::string{rest},
                          kSecret);
    case 3:
      return check_masked(before + name + " = \"" + secret("\"\\") + "\\\"\" " + std::string{rest},
                          kSecret);
    case 4:
      return check_masked(before + std::string{kHidden} + std::string{rest}, kHidden);
    case 5:
      return check_masked(before + percent_encoded(kHidden) + std::string{rest},
                          percent_encoded(kHidden));
    default:
      return;
  }
}

/// The value that a reader of the log gets.
std::string unquoted(std::string_view text) {
  if (!text.starts_with('"')) return std::string{text};
  std::string out;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    std::size_t size = 1;
    if (text.starts_with("\\x")) {
      out += static_cast<char>(std::stoi(std::string{text.substr(2, 2)}, nullptr, 16));
      size = 4;
    } else if (text.starts_with('\\')) {
      out += text[1] == 'n' ? '\n' : text[1];
      size = 2;
    } else {
      CHECK(text.front() != '"', text);
      out += text.front();
    }
    text.remove_prefix(size);
  }
  return out;
}

/// Lines are one line each, without control characters, and say what was given.
void check_line(std::string_view text) {
  constexpr std::string_view kBegin = "event before=1 value=";
  const auto line = base::log::line("event", {{"before", 1}, {"value", text}});
  CHECK(line.starts_with(kBegin), line);
  CHECK(std::ranges::none_of(line, [](unsigned char c) { return c < ' ' || c == 0x7f; }), line);
  const auto value = std::string_view{line}.substr(kBegin.size());
  CHECK(value.starts_with('"') || value.find_first_of(" \"=") == value.npos, value);
  CHECK(unquoted(value) == text, text, value);
}

void check_one_line(std::string_view text) {
  const auto line = transcoder::one_line(text);
  CHECK(line.find_first_of("\r\n") == line.npos, line);
  CHECK(line.size() <= text.size() && transcoder::one_line(line) == line, line);
}

}  // namespace

FUZZ_TARGET(text) {
  hide_once();
  const auto form = input.take<std::uint8_t>();
  const auto text = input.rest();
  check_planted(form, without_planted(std::string{text}));
  check_secrets(std::string{text});
  check_line(text);
  check_one_line(text);
}
