#include "server/client.h"

#include "base/ascii.h"
#include "server/http_request_parser.h"
#include "server/request_target.h"

namespace server {

namespace {

/// The last item of a comma-separated list, which it removes.
std::string_view take_last(std::string_view& list) {
  const auto comma = list.rfind(',');
  const auto item = comma == std::string_view::npos ? list : list.substr(comma + 1);
  list = comma == std::string_view::npos ? std::string_view{} : list.substr(0, comma);
  return base::trimmed(item);
}

/// Some proxies add the port: "192.0.2.1:4711", "[2001:db8::1]:4711".
std::optional<Address> address_in(std::string_view item) {
  if (const auto address = Address::parse(item)) return *address;
  const auto address = Address::parse(host_name(item));
  return address ? std::optional{*address} : std::nullopt;
}

/// The nearest address that is no trusted proxy's, or the farthest of all. nullopt if an item
/// before that is no address.
std::optional<Address> farthest_known(std::string_view forwarded_for,
                                      const std::vector<Network>& trusted) {
  std::optional<Address> address;
  do {
    address = address_in(take_last(forwarded_for));
  } while (address && contains(trusted, *address) && !forwarded_for.empty());
  return address;
}

/// Where the client's own words end and a trusted proxy's begin.
void believe(Client& client, const HttpRequest& request, const std::vector<Network>& trusted) {
  client.proxy = Proxy::kUnknown;  // unless it names an address
  if (const auto address = farthest_known(request.forwarded_for, trusted)) {
    client.proxy = Proxy::kTrusted;
    client.address = *address;
  }
  std::string_view hosts = request.forwarded_host;
  client.forwarded_host = take_last(hosts);
}

/// Whether the Connection header is not the one that the program named in User-Agent writes. All
/// browsers ask an HTTP/1.1 server to keep the connection, and libavformat (ffmpeg, mpv) says
/// either.
bool is_passed_on(const HttpRequest& request) {
  if (request.user_agent.starts_with("Mozilla/")) return !request.says_keep_alive;
  if (request.user_agent.starts_with("Lavf/")) {
    return !request.says_keep_alive && !request.says_close;
  }
  return false;
}

}  // namespace

Client client_of(const HttpRequest& request, const Address& peer,
                 const std::optional<Address>& forwarded, const std::vector<Network>& trusted) {
  const auto authority = authority_of(request.target);
  Client client{.address = forwarded.value_or(peer),
                .peer = peer,
                .host = std::string{authority.empty() ? request.host : authority},
                .origin = request.origin,
                .proxy = forwarded ? Proxy::kTrusted : Proxy::kNone,
                .proxy_sign = forwarded ? "PROXY" : request.forwarding_header};
  client.cross_site = request.fetch_site == "cross-site" && request.fetch_dest != "document";
  const bool forwards = contains(trusted, client.address);
  if (!request.forwarded_for.empty() && forwards) {
    believe(client, request, trusted);
  } else if (!request.forwarding_header.empty()) {
    client.proxy = Proxy::kUnknown;
  } else if (request.http_1_0) {
    // Browsers, players and Prometheus speak HTTP/1.1. nginx before 1.29 asks with HTTP/1.0 and
    // without a forwarding header, unless it is told otherwise.
    client.proxy = Proxy::kUnknown;
    client.proxy_sign = "HTTP/1.0";
  } else if (is_passed_on(request)) {
    client.proxy = Proxy::kUnknown;
    client.proxy_sign = "Connection";
  }
  return client;
}

}  // namespace server
