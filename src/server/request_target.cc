#include "server/request_target.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

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

/// The length of the scheme of an absolute form (RFC 9112, 3.2.2; RFC 3986, 3.1), or 0. A proxy
/// that ends TLS may pass "https:" on.
std::size_t scheme_length(std::string_view text) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (base::equal_ignoring_case(text.substr(0, scheme.size()), scheme)) return scheme.size();
  }
  return 0;
}

/// Removes scheme and authority from an absolute form.
std::string origin_form(std::string_view text) {
  const auto scheme = scheme_length(text);
  if (scheme == 0) return std::string{text};
  const auto authority = authority_of(text);
  if (authority.empty()) return {};
  const auto target = text.substr(scheme + authority.size());
  return target.starts_with('/') ? std::string{target} : "/" + std::string{target};
}

}  // namespace

std::string_view authority_of(std::string_view target) {
  const auto scheme = scheme_length(target);
  if (scheme == 0) return {};
  target.remove_prefix(scheme);
  return target.substr(0, target.find_first_of("/?#"));
}

std::string_view host_name(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  const auto colon = authority.find(':');
  if (colon != authority.rfind(':')) return authority;  // an IPv6 address
  return authority.substr(0, colon);
}

base::Result<RequestTarget> RequestTarget::parse(std::string_view text) {
  const std::string whole = origin_form(text);
  const std::string_view origin = whole;
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
