#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/address.h"

namespace server {

struct HttpRequest;

/// Whether a proxy passed a request on, as far as the request shows.
enum class Proxy {
  kNone,
  kTrusted,  ///< one of server.trusted_proxies, which named the client's address
  kUnknown,  ///< another one: the connection's address says nothing about the client
};

/// The sender of a request. A value.
struct Client {
  Address
      address;   ///< of the client, as far as it is known: the peer's, or what a trusted proxy says
  Address peer;  ///< the other end of the connection: the client or a proxy
  std::string host;    ///< the host, and perhaps ":PORT", of the URL that was asked for
  std::string origin;  ///< of the page that asks, as browsers send it; often empty
  Proxy proxy = Proxy::kNone;
  /// A page of another site asks, for itself: not because a person follows a link.
  bool cross_site = false;
  std::string forwarded_host{};  ///< the host before a trusted proxy, if X-Forwarded-Host has one
  std::string proxy_sign{};      ///< the sign of the proxy: a header's name, or "HTTP/1.0"
};

/// The client of `request` on a connection from `peer`. `forwarded`: the client that a proxy's
/// PROXY protocol header names, if there was one. Trusted proxies may form a chain; X-Forwarded-For
/// is read from its end, where the nearest proxy adds the address that it sees. The fields
/// Forwarded and X-Real-IP are not believed: a proxy that sets only X-Forwarded-For passes on those
/// of the client.
Client client_of(const HttpRequest& request, const Address& peer,
                 const std::optional<Address>& forwarded, const std::vector<Network>& trusted);

}  // namespace server
