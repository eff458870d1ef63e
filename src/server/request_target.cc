#include "server/request_target.h"

#include <algorithm>
#include <charconv>

namespace server {

namespace {

// The name becomes a metric label and part of file names.
constexpr std::size_t kMaxStreamNameLength = 64;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

/// Rejects control characters, and separators, which would make the path ambiguous once decoded.
bool may_be_escaped(int value) {
  return value >= 0x20 && value != 0x7f && value != '/' && value != '\\';
}

std::optional<char> unescape(std::string_view digits) {
  if (digits.size() != 2) return std::nullopt;
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + 2, value, 16);
  if (error != std::errc{} || end != digits.data() + 2 || !may_be_escaped(value)) {
    return std::nullopt;
  }
  return static_cast<char>(value);
}

std::optional<std::string> decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    const auto c = unescape(text.substr(i + 1, 2));
    if (!c) return std::nullopt;
    out.push_back(*c);
    i += 2;
  }
  return out;
}

/// Removes "http://authority" from an absolute form.
std::string_view origin_form(std::string_view text) {
  constexpr std::string_view kHttpScheme = "http://";
  if (!text.starts_with(kHttpScheme)) return text;
  const auto slash = text.find('/', kHttpScheme.size());
  return slash == std::string_view::npos ? "/" : text.substr(slash);
}

}  // namespace

base::Result<RequestTarget> RequestTarget::parse(std::string_view text) {
  const auto origin = origin_form(text);
  if (!origin.starts_with('/') || origin.find('#') != std::string_view::npos) {
    return base::Error{"the request target must be a path such as /live.ts"};
  }
  const auto mark = origin.find('?');
  auto path = decode(origin.substr(0, mark));
  if (!path) {
    return base::Error{
        "the path has a percent escape that is malformed, or of a control character, '/' or '\\': "
        "correct the URL"};
  }
  RequestTarget target{std::move(*path), {}};
  if (mark != std::string_view::npos) target.query = origin.substr(mark + 1);
  return target;
}

std::optional<StreamTarget> RequestTarget::stream() const {
  const auto* container = std::ranges::find_if(
      media::kContainers, [&](auto c) { return path.ends_with(media::suffix(c)); });
  if (container == media::kContainers.end()) return std::nullopt;
  const auto name = std::string_view{path}.substr(1, path.size() - 1 - suffix(*container).size());
  if (name.empty() || name.size() > kMaxStreamNameLength || name.front() == '.')
    return std::nullopt;
  if (!std::all_of(name.begin(), name.end(), is_name_character)) return std::nullopt;
  return StreamTarget{std::string{name}, *container};
}

}  // namespace server
