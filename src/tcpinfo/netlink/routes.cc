#include "tcpinfo/netlink/routes.h"

#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>

#include <memory>
#include <optional>
#include <utility>

#include "tcpinfo/netlink/netlink_socket.h"
#include "tcpinfo/netlink/route_bytes.h"
#include "tcpinfo/netlink/wire.h"

namespace tcpinfo {

namespace {

/// Attempts to read the table. An attempt fails if the table changes meanwhile; on a machine whose
/// routes change all the time, more attempts would only delay the error.
constexpr int kMaxTableReads = 5;

std::optional<Prefix> parse_prefix(const std::string& text) {
  nl_addr* parsed = nullptr;
  if (nl_addr_parse(text.c_str(), AF_UNSPEC, &parsed) != 0) return std::nullopt;
  const std::unique_ptr<nl_addr, decltype(&nl_addr_put)> address{parsed, nl_addr_put};
  const auto* bytes = static_cast<const std::byte*>(nl_addr_get_binary_addr(parsed));
  return Prefix{nl_addr_get_family(parsed),
                nl_addr_get_prefixlen(parsed),
                {bytes, bytes + nl_addr_get_len(parsed)}};
}

/// Finds the best route that serves `network`. Returns 0 or libnl's error code.
int read_table(NetlinkSocket& socket, const Prefix& network, std::optional<RawRoute>& best) {
  const NetlinkMessage request{nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_DUMP)};
  rtmsg wanted{};
  wanted.rtm_family = static_cast<unsigned char>(network.family);
  nlmsg_append(request.get(), &wanted, sizeof wanted, NLMSG_ALIGNTO);
  return socket.request(*request, [&](wire::Bytes payload) {
    auto route = RawRoute::parse(payload);
    if (!route || !serves(*route, network)) return;
    if (!best || preferred(*route, *best)) best = std::move(*route);
  });
}

/// A network and the route that serves it.
struct Lookup {
  NetlinkSocket socket;
  Prefix network;
  RawRoute route{};

  static base::Result<Lookup> of(const std::string& text);
  bool is_exact() const { return route.header.rtm_dst_len == network.length; }
};

base::Result<Lookup> Lookup::of(const std::string& text) {
  auto prefix = parse_prefix(text);
  if (!prefix) return base::Error{text + " is not a network; write it like 192.0.2.0/24"};
  auto socket = NetlinkSocket::open(NETLINK_ROUTE);
  if (!socket) return base::Error{socket.error()};
  std::optional<RawRoute> best;
  int failure = -NLE_DUMP_INTR;
  for (int reads = 0; failure == -NLE_DUMP_INTR && reads < kMaxTableReads; ++reads) {
    best.reset();
    failure = read_table(*socket, *prefix, best);
  }
  if (failure != 0) return base::Error{"failed to read the routes: " + error_text(failure)};
  if (!best) {
    return base::Error{"no route serves " + text + "; add one with `ip route add " + text +
                       " via ...`"};
  }
  if (best->header.rtm_table == RT_TABLE_LOCAL) {
    return base::Error{text + " belongs to this machine itself; such routes cannot be changed"};
  }
  return Lookup{std::move(*socket), std::move(*prefix), std::move(*best)};
}

NetlinkMessage request_for(const Lookup& found, std::uint32_t initcwnd) {
  auto payload = copy_for(found.route, found.network, initcwnd);
  NetlinkMessage message{nlmsg_alloc_size(NLMSG_SPACE(payload.size()))};
  nlmsg_put(message.get(), NL_AUTO_PORT, NL_AUTO_SEQ, RTM_NEWROUTE, 0,
            NLM_F_CREATE | NLM_F_REPLACE);
  nlmsg_append(message.get(), payload.data(), payload.size(), NLMSG_ALIGNTO);
  return message;
}

base::Error refused(const std::string& network, int failure) {
  if (failure == -NLE_PERM) return {"setting the route to " + network + " needs CAP_NET_ADMIN"};
  return {"the kernel refuses the route to " + network + ": " + error_text(failure)};
}

}  // namespace

base::Result<Route> find_route(const std::string& network) {
  const auto found = Lookup::of(network);
  if (!found) return base::Error{found.error()};
  return Route{found->is_exact(), found->route.metric(RTAX_INITCWND)};
}

base::Result<RouteChange> set_initcwnd(const std::string& network, std::uint32_t segments) {
  auto found = Lookup::of(network);
  if (!found) return base::Error{found.error()};
  if (found->is_exact() && found->route.metric(RTAX_INITCWND) == segments) {
    return RouteChange::kNone;
  }
  const auto request = request_for(*found, segments);
  if (const int failure = found->socket.request(*request, [](wire::Bytes) {})) {
    return refused(network, failure);
  }
  return found->is_exact() ? RouteChange::kReplaced : RouteChange::kAdded;
}

}  // namespace tcpinfo
