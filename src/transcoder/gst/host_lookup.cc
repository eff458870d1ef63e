#include "transcoder/gst/host_lookup.h"

#include <fmt/format.h>
#include <glib.h>
#include <netdb.h>

#include "transcoder/gst/handle.h"

namespace transcoder {

namespace {

using UriHandle = Handle<GUri, g_uri_unref>;
using AddressesHandle = Handle<addrinfo, freeaddrinfo>;

}  // namespace

std::string host_of(const std::string& uri) {
  const UriHandle parsed{g_uri_parse(uri.c_str(), G_URI_FLAGS_PARSE_RELAXED, nullptr)};
  const char* const host = parsed ? g_uri_get_host(parsed.get()) : nullptr;
  return host != nullptr ? host : "";
}

std::uint16_t port_of(const std::string& uri) {
  const UriHandle parsed{g_uri_parse(uri.c_str(), G_URI_FLAGS_PARSE_RELAXED, nullptr)};
  const int port = parsed ? g_uri_get_port(parsed.get()) : -1;  // -1 if the URI has none
  return port > 0 ? static_cast<std::uint16_t>(port) : 0;
}

std::string lookup_failure(const std::string& uri) {
  const auto host = host_of(uri);
  if (host.empty()) return {};
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  const AddressesHandle addresses{found};
  if (error == 0) return {};
  return fmt::format(
      "no address is known for '{}' ({}); check the name in the source's URI, and this host's DNS",
      host, ::gai_strerror(error));
}

}  // namespace transcoder
