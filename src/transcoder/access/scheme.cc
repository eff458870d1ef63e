#include "transcoder/access/scheme.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace transcoder::access {

namespace {

using Family = std::vector<std::string>;

/// As GStreamer's elements know them. Transports of RTSP are schemes of their own there.
const std::array kFamilies{
    Family{"http", "https"},
    Family{"rtsp", "rtspu", "rtspt", "rtsph", "rtsp-sdp", "rtsps", "rtspsu", "rtspst", "rtspsh",
           "udp"},  // the last one for its own sockets
    Family{"rtmp", "rtmps", "rtmpt", "rtmpe", "rtmpte", "rtmpts"},
    Family{"udp", "rtp"},
};

bool belongs_to_scheme(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
}

}  // namespace

std::string scheme_of(std::string_view uri) {
  std::string scheme{uri.substr(0, std::min(uri.find(':'), uri.size()))};
  std::ranges::transform(scheme, scheme.begin(), base::ascii_lower);
  const bool whole = scheme.size() < uri.size() && std::ranges::all_of(scheme, belongs_to_scheme);
  return whole ? scheme : std::string{};
}

std::vector<std::string> scheme_family(const std::string& scheme) {
  const auto* const family = std::ranges::find_if(kFamilies, [&](const auto& schemes) {
    return std::ranges::find(schemes, scheme) != schemes.end() &&
           (scheme != "udp" || schemes.front() == "udp");
  });
  return family != kFamilies.end() ? *family : Family{scheme};
}

std::uint16_t default_port(std::string_view scheme) {
  if (scheme == "http") return 80;
  if (scheme == "https") return 443;
  if (scheme.starts_with("rtsps")) return 322;
  if (scheme.starts_with("rtsp")) return 554;
  if (scheme == "rtmps") return 443;
  if (scheme.starts_with("rtmp")) return 1935;
  return 0;
}

std::string host_name(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string name{host};
  std::ranges::transform(name, name.begin(), base::ascii_lower);
  return name;
}

bool is_localhost(std::string_view name) {
  return name == "localhost" || name.ends_with(".localhost");
}

}  // namespace transcoder::access
