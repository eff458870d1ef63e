#include "transcoder/gst/host_lookup.h"

#include <fmt/format.h>
#include <gst/gst.h>
#include <netdb.h>

#include "transcoder/gst/handle.h"

namespace transcoder {

namespace {

using UriHandle = Handle<GstUri, gst_uri_unref>;
using AddressesHandle = Handle<addrinfo, freeaddrinfo>;

}  // namespace

std::string host_of(const std::string& uri) {
  const UriHandle parsed{gst_uri_from_string(uri.c_str())};
  const char* const host = parsed ? gst_uri_get_host(parsed.get()) : nullptr;
  return host != nullptr ? host : "";
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
