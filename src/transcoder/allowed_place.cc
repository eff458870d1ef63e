#include "transcoder/allowed_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/ascii.h"

namespace transcoder {

namespace {

constexpr std::size_t kMaxHost = 253;  // RFC 1035, 2.3.4, without the dot at the end

base::Error refused(std::string_view text, std::string_view advice) {
  return {fmt::format("\"{}\": {}", text, advice)};
}

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Whether it can only be meant as an address: digits, or an IPv6 address.
bool is_numeric(std::string_view text) {
  return text.find_first_not_of("0123456789./") == std::string_view::npos ||
         (std::ranges::count(text, ':') > 1 && text.find("://") == std::string_view::npos);
}

base::Result<std::string> folder(std::string_view text) {
  const auto path = std::filesystem::path{text}.lexically_normal();
  if (path == "/") return refused(text, "this would permit every file; name a folder in it");
  return path.has_filename() ? path.string() : path.parent_path().string();
}

base::Result<std::string> host(std::string_view text) {
  if (text.starts_with('*')) return refused(text, "wildcards are not supported; name each host");
  if (text.find("://") != std::string_view::npos)
    return refused(text, "write only the host of this URI");
  if (text.find(':') != std::string_view::npos)
    return refused(text, "write the host without its port");
  std::string name{text.substr(0, text.size() - (text.ends_with('.') ? 1 : 0))};
  std::ranges::transform(name, name.begin(), base::ascii_lower);
  const auto allowed = [](char c) {
    return is_lower_or_digit(c) || c == '-' || c == '_' || c == '.';
  };
  if (name.empty() || name.size() > kMaxHost || !std::ranges::all_of(name, allowed)) {
    return refused(text,
                   "neither a network (\"10.0.0.0/8\"), a host (\"cdn.example\") nor a folder "
                   "(\"/srv/media\")");
  }
  return name;
}

}  // namespace

base::Result<AllowedPlace> AllowedPlace::parse(std::string_view text) {
  if (const auto network = base::Network::parse(text)) {
    return AllowedPlace{network->text(), *network};
  } else if (!text.empty() && !text.starts_with('/') && is_numeric(text)) {
    return base::Error{network.error()};
  }
  auto name = text.starts_with('/') ? folder(text) : host(text);
  if (!name) return base::Error{name.error()};
  return AllowedPlace{std::move(*name), std::nullopt};
}

}  // namespace transcoder
