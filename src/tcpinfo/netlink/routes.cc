#include "tcpinfo/netlink/routes.h"

#include <linux/lwtunnel.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tcpinfo/netlink/netlink_socket.h"
#include "tcpinfo/netlink/wire.h"

namespace tcpinfo {

namespace {

/// Attempts to read the table. An attempt fails if the table changes meanwhile; on a machine whose
/// routes change all the time, more attempts would only delay the error.
constexpr int kMaxTableReads = 5;

struct Prefix {
  int family = AF_UNSPEC;
  unsigned length = 0;  ///< bits
  std::vector<std::byte> address;
};

std::optional<Prefix> parse_prefix(const std::string& text) {
  nl_addr* parsed = nullptr;
  if (nl_addr_parse(text.c_str(), AF_UNSPEC, &parsed) != 0) return std::nullopt;
  const std::unique_ptr<nl_addr, decltype(&nl_addr_put)> address{parsed, nl_addr_put};
  const auto* bytes = static_cast<const std::byte*>(nl_addr_get_binary_addr(parsed));
  return Prefix{nl_addr_get_family(parsed),
                nl_addr_get_prefixlen(parsed),
                {bytes, bytes + nl_addr_get_len(parsed)}};
}

bool same_bits(wire::Bytes a, wire::Bytes b, unsigned bits) {
  const std::size_t whole = bits / 8;
  if (std::min(a.size(), b.size()) < (bits + 7) / 8) return false;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) {
    return false;
  }
  return bits % 8 == 0 || ((a[whole] ^ b[whole]) >> (8 - bits % 8)) == std::byte{0};
}

/// A route exactly as the kernel sent it, so that a copy keeps everything: nexthop objects,
/// encapsulation, multiple paths and other metrics. libnl-route knows neither of the first two, and
/// cannot read a table that contains encapsulation.
struct RawRoute {
  rtmsg header{};
  std::vector<std::byte> attributes;

  std::optional<wire::Bytes> find(int type) const {
    wire::Bytes rest{attributes};
    while (const auto attribute = wire::take_attribute(rest)) {
      if (attribute->type == type) return attribute->value;
    }
    return std::nullopt;
  }
  std::uint32_t number(int type) const {
    const auto value = find(type);
    return value ? wire::front<std::uint32_t>(*value).value_or(0) : 0;
  }
  std::uint32_t metric(int type) const {
    wire::Bytes rest = find(RTA_METRICS).value_or(wire::Bytes{});
    while (const auto attribute = wire::take_attribute(rest)) {
      if (attribute->type == type) return wire::front<std::uint32_t>(attribute->value).value_or(0);
    }
    return 0;
  }
};

bool serves(const RawRoute& route, const Prefix& network) {
  const auto& header = route.header;
  const bool looked_up = header.rtm_table == RT_TABLE_LOCAL || header.rtm_table == RT_TABLE_MAIN;
  const bool delivers = header.rtm_type == RTN_UNICAST || header.rtm_type == RTN_LOCAL;
  const bool for_some_only = header.rtm_src_len != 0 || header.rtm_tos != 0;
  const bool cached = (header.rtm_flags & RTM_F_CLONED) != 0;
  return header.rtm_family == network.family && looked_up && delivers && !for_some_only &&
         !cached && header.rtm_dst_len <= network.length &&
         same_bits(route.find(RTA_DST).value_or(wire::Bytes{}), network.address,
                   header.rtm_dst_len);
}

/// The kernel's order: table local before main, then the longest prefix, then the lowest priority
/// value.
bool preferred(const RawRoute& a, const RawRoute& b) {
  const auto rank = [](const RawRoute& route) {
    return std::tuple{route.header.rtm_table == RT_TABLE_LOCAL, route.header.rtm_dst_len,
                      ~route.number(RTA_PRIORITY)};
  };
  return rank(a) > rank(b);
}

/// Finds the best route that serves `network`. Returns 0 or libnl's error code.
int read_table(NetlinkSocket& socket, const Prefix& network, std::optional<RawRoute>& best) {
  const NetlinkMessage request{nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_DUMP)};
  rtmsg wanted{};
  wanted.rtm_family = static_cast<unsigned char>(network.family);
  nlmsg_append(request.get(), &wanted, sizeof wanted, NLMSG_ALIGNTO);
  return socket.request(*request, [&](wire::Bytes payload) {
    const auto header = wire::front<rtmsg>(payload);
    if (!header) return;
    const auto rest = wire::after<rtmsg>(payload);
    RawRoute route{*header, {rest.begin(), rest.end()}};
    if (serves(route, network) && (!best || preferred(route, *best))) best = std::move(route);
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

/// Keeps only ONLINK of a next hop's flags. The others are state, and the kernel rejects requests
/// that contain them (fib_create_info, net/ipv4/fib_semantics.c).
void put_paths(nl_msg& message, wire::Bytes value) {
  std::vector<std::byte> paths{value.begin(), value.end()};
  std::size_t at = 0;
  while (const auto path = wire::front<rtnexthop>(wire::Bytes{paths}.subspan(at))) {
    paths[at + offsetof(rtnexthop, rtnh_flags)] &= std::byte{RTNH_F_ONLINK};
    at += RTNH_ALIGN(std::max<std::size_t>(path->rtnh_len, sizeof *path));
    if (at > paths.size()) break;
  }
  nla_put(&message, RTA_MULTIPATH, static_cast<int>(paths.size()), paths.data());
}

void put_metrics(nl_msg& message, wire::Bytes others, std::uint32_t initcwnd) {
  nlattr* metrics = nla_nest_start(&message, RTA_METRICS);
  while (const auto metric = wire::take_attribute(others)) {
    if (metric->type == RTAX_INITCWND) continue;
    nla_put(&message, metric->type, static_cast<int>(metric->value.size()), metric->value.data());
  }
  nla_put_u32(&message, RTAX_INITCWND, initcwnd);
  nla_nest_end(&message, metrics);
}

/// The kernel reports a nexthop object (RTA_NH_ID) together with the attributes it stands for, but
/// accepts only one of the two.
bool belongs_to_path(int type) {
  return type == RTA_OIF || type == RTA_GATEWAY || type == RTA_VIA || type == RTA_MULTIPATH ||
         type == RTA_ENCAP || type == RTA_ENCAP_TYPE;
}

void put_others(nl_msg& message, const RawRoute& route) {
  const bool has_object = route.find(RTA_NH_ID).has_value();
  wire::Bytes rest{route.attributes};
  while (const auto attribute = wire::take_attribute(rest)) {
    const int type = attribute->type;
    const bool replaced = type == RTA_DST || type == RTA_METRICS || type == RTA_CACHEINFO;
    if (replaced || (has_object && belongs_to_path(type))) continue;
    if (type == RTA_MULTIPATH) {
      put_paths(message, attribute->value);
    } else {
      nla_put(&message, type, static_cast<int>(attribute->value.size()), attribute->value.data());
    }
  }
}

NetlinkMessage request_for(const Lookup& found, std::uint32_t initcwnd) {
  const auto& [socket, network, route] = found;
  NetlinkMessage message{nlmsg_alloc_simple(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE)};
  rtmsg header = route.header;
  header.rtm_dst_len = static_cast<unsigned char>(network.length);
  header.rtm_flags &= RTNH_F_ONLINK;
  if (!found.is_exact()) header.rtm_protocol = RTPROT_STATIC;
  nlmsg_append(message.get(), &header, sizeof header, NLMSG_ALIGNTO);
  if (network.length > 0) {
    nla_put(message.get(), RTA_DST, static_cast<int>(network.address.size()),
            network.address.data());
  }
  put_others(*message, route);
  put_metrics(*message, route.find(RTA_METRICS).value_or(wire::Bytes{}), initcwnd);
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
