#include "transcoder/access/access_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "transcoder/access/scheme.h"
#include "transcoder/uri/source_file.h"
#include "transcoder/uri/source_uri.h"

namespace transcoder::access {

namespace {

/// Properties of GStreamer's network sources that name a host.
constexpr std::array<std::string_view, 4> kHostProperties{"host", "address", "server", "hostname"};

std::uint16_t port_in(const std::optional<std::string>& text) {
  std::uint16_t port = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), port);
  return port;
}

/// A source with the URI's ports, to wait for a sender there. RTP has RTCP on the next one.
void wait_on_ports(const std::string& uri, AccessRules& rules) {
  const auto port = port_of(uri);
  rules.bound_ports = {port};
  if (rules.scheme == "rtp" && port < 65535) {
    rules.bound_ports.push_back(static_cast<std::uint16_t>(port + 1));
  }
}

void add_own_host(const std::string& uri, AccessRules& rules) {
  const auto host = host_name(host_of(uri));
  if (host.empty()) return;
  const auto port = port_of(uri);
  rules.own_hosts.push_back({host, port != 0 ? port : default_port(scheme_of(uri))});
}

/// A caller's socket has an ephemeral port, or that of the key `localport`.
void add_srt(const std::string& uri, AccessRules& rules) {
  const auto mode = query_value(complete_srt_uri(uri), "mode").value_or("caller");
  if (mode == "listener") {
    wait_on_ports(uri, rules);
    rules.datagrams = Datagrams::kAnyHost;
  } else {
    add_own_host(uri, rules);
    rules.binds_any_port = true;
    rules.datagrams = Datagrams::kOwnHost;
    if (mode == "rendezvous") rules.bound_ports = {port_of(uri)};
  }
  if (const auto port = port_in(query_value(uri, "localport"))) rules.bound_ports.push_back(port);
}

std::string_view unquoted(std::string_view word) {
  while (word.starts_with('"') || word.starts_with('\'')) word.remove_prefix(1);
  while (word.ends_with('"') || word.ends_with('\'')) word.remove_suffix(1);
  return word;
}

/// One word of a launch text: "uri=http://camera/", "host=10.0.0.1", "http://camera/".
void add_word(std::string_view word, AccessRules& rules) {
  const auto equals = word.find('=');
  const auto scheme_end = word.find("://");
  const bool has_key = equals != std::string_view::npos &&
                       (scheme_end == std::string_view::npos || equals < scheme_end);
  const auto key = has_key ? word.substr(0, equals) : "";
  const std::string value{unquoted(has_key ? word.substr(equals + 1) : word)};
  if (std::ranges::find(kHostProperties, key) != kHostProperties.end()) {
    rules.own_hosts.push_back({.name = host_name(value)});
  }
  if (value.find("://") == std::string_view::npos) return;
  const auto scheme = scheme_of(value);
  if (scheme.empty() || scheme == "fd") return;
  const auto family = scheme_family(scheme);
  rules.schemes.insert(rules.schemes.end(), family.begin(), family.end());
  add_own_host(value, rules);
}

/// A pipeline is the operator's own text. All that it names is allowed, with all kinds of sockets.
void add_launch_text(const std::string& text, AccessRules& rules) {
  rules.connections = true;
  rules.binds_any_port = true;
  rules.datagrams = Datagrams::kAnyHost;
  constexpr std::string_view kBlanks = " \t\n!,;()";
  std::string_view rest{text};
  for (auto begin = rest.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = rest.find_first_not_of(kBlanks)) {
    rest.remove_prefix(begin);
    const auto end = std::min(rest.find_first_of(kBlanks), rest.size());
    add_word(rest.substr(0, end), rules);
    rest.remove_prefix(end);
  }
}

void add_connections(const std::string& uri, AccessRules& rules) {
  add_own_host(uri, rules);
  rules.connections = true;
  if (!rules.scheme.starts_with("rtsp")) return;
  rules.datagrams = Datagrams::kOwnHost;
  rules.binds_any_port = true;
}

void add_file(const std::string& uri, AccessRules& rules) {
  try {
    rules.own_file = std::filesystem::path{file_path(uri)}.lexically_normal().string();
  } catch (const std::runtime_error&) {
    return;  // no file has this name, and the source says so
  }
}

void add_allowed(const std::vector<AllowedPlace>& places, AccessRules& rules) {
  for (const auto& place : places) {
    if (place.network()) rules.networks.push_back(*place.network());
    if (place.is_host()) rules.hosts.push_back(place.text());
    if (place.is_folder()) rules.folders.push_back(place.text());
  }
}

}  // namespace

AccessRules access_rules(const SourceSettings& source) {
  const auto& uri = source.uri;
  AccessRules rules{.scheme = scheme_of(uri)};
  if (rules.scheme != "gst" && rules.scheme != "fd") rules.schemes = scheme_family(rules.scheme);
  if (rules.scheme == "gst") {
    add_launch_text(uri.substr(uri.find(':') + 1), rules);
  } else if (rules.scheme == "file") {
    add_file(uri, rules);
  } else if (rules.scheme == "srt") {
    add_srt(uri, rules);
  } else if (rules.scheme == "udp" || rules.scheme == "rtp") {
    wait_on_ports(uri, rules);
    rules.datagrams = rules.scheme == "rtp" ? Datagrams::kAnyHost : Datagrams::kNowhere;
  } else {
    add_connections(uri, rules);
  }
  add_allowed(source.allow, rules);
  return rules;
}

}  // namespace transcoder::access
