#include "transcoder/uri/source_uri.h"

#include <glib.h>

#include <algorithm>

#include "transcoder/handle.h"

namespace transcoder {

namespace {

using UriHandle = Handle<GUri, g_uri_unref>;

constexpr std::string_view kSrt = "srt://";

UriHandle parse(const std::string& uri) {
  return UriHandle{g_uri_parse(uri.c_str(), G_URI_FLAGS_PARSE_RELAXED, nullptr)};
}

/// Without percent-encoding; malformed text stays as it is.
std::string decoded(std::string_view text) {
  const Handle<gchar, g_free> plain{
      g_uri_unescape_segment(text.data(), text.data() + text.size(), nullptr)};
  return plain ? plain.get() : std::string{text};
}

}  // namespace

std::string host_of(const std::string& uri) {
  const auto parsed = parse(uri);
  const char* const host = parsed ? g_uri_get_host(parsed.get()) : nullptr;
  return host != nullptr ? host : "";
}

std::uint16_t port_of(const std::string& uri) {
  const auto parsed = parse(uri);
  const int port = parsed ? g_uri_get_port(parsed.get()) : -1;  // -1 if the URI has none
  return port > 0 ? static_cast<std::uint16_t>(port) : 0;
}

std::optional<std::string> query_value(const std::string& uri, std::string_view key) {
  std::string_view rest{uri};
  rest = rest.substr(0, rest.find('#'));
  std::optional<std::string> value;
  for (auto at = rest.find('?'); at != std::string_view::npos; at = rest.find('&')) {
    rest.remove_prefix(at + 1);
    const auto pair = rest.substr(0, rest.find('&'));
    const auto name = pair.substr(0, pair.find('='));
    if (decoded(name) == key) value = decoded(pair.substr(std::min(name.size() + 1, pair.size())));
  }
  return value;  // the last one, as in GStreamer
}

bool is_listening_address(const std::string& uri) {
  if (!uri.starts_with(kSrt)) return false;
  const auto host_and_port = uri.substr(kSrt.size());
  return host_and_port.starts_with(":") || host_and_port.starts_with("0.0.0.0:") ||
         host_and_port.starts_with("[::]:");
}

bool expects_rtmp_publisher(const std::string& uri) {
  if (!uri.starts_with("rtmp")) return false;
  const auto host = host_of(uri);
  return host.empty() || host == "0.0.0.0" || host == "::" || query_value(uri, "listen");
}

std::optional<std::string> datagram_uri(const std::string& uri) {
  if (uri.starts_with("udp:")) return uri;
  if (!uri.starts_with("rtp:")) return std::nullopt;
  if (query_value(uri, "encoding-name").value_or("MP2T") != "MP2T") return std::nullopt;
  const std::string rest = uri.substr(4);
  return "udp:" + rest.substr(0, rest.find('?'));
}

bool comes_in_datagrams(const std::string& uri) {
  return uri.starts_with("srt:") || datagram_uri(uri).has_value();
}

std::string complete_srt_uri(const std::string& uri) {
  if (!uri.starts_with(kSrt)) return uri;
  std::string result;
  for (const char c : uri) result += c == '#' ? std::string{"%23"} : std::string{c};
  if (!is_listening_address(result) || query_value(result, "mode")) return result;
  return result + (result.find('?') == std::string::npos ? "?" : "&") + "mode=listener";
}

}  // namespace transcoder
