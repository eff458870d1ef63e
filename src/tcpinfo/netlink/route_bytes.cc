#include "tcpinfo/netlink/route_bytes.h"

#include <linux/lwtunnel.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace tcpinfo {

namespace {

bool same_bits(wire::Bytes a, wire::Bytes b, unsigned bits) {
  const std::size_t whole = bits / 8;
  if (std::min(a.size(), b.size()) < (bits + 7) / 8) return false;
  if (!std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(whole), b.begin())) {
    return false;
  }
  return bits % 8 == 0 || ((a[whole] ^ b[whole]) >> (8 - bits % 8)) == std::byte{0};
}

/// Keeps only ONLINK of a next hop's flags. The others are state, and the kernel rejects requests
/// that contain them (fib_create_info, net/ipv4/fib_semantics.c).
std::vector<std::byte> without_state(wire::Bytes value) {
  std::vector<std::byte> paths{value.begin(), value.end()};
  std::size_t at = 0;
  while (const auto path = wire::front<rtnexthop>(wire::Bytes{paths}.subspan(at))) {
    paths[at + offsetof(rtnexthop, rtnh_flags)] &= std::byte{RTNH_F_ONLINK};
    at += RTNH_ALIGN(std::max<std::size_t>(path->rtnh_len, sizeof *path));
    if (at > paths.size()) break;
  }
  return paths;
}

std::vector<std::byte> metrics_with(wire::Bytes others, std::uint32_t initcwnd) {
  std::vector<std::byte> metrics;
  while (const auto metric = wire::take_attribute(others)) {
    if (metric->type != RTAX_INITCWND) wire::put_attribute(metrics, metric->type, metric->value);
  }
  wire::put_attribute(metrics, RTAX_INITCWND, std::as_bytes(std::span{&initcwnd, 1}));
  return metrics;
}

/// The kernel reports a nexthop object (RTA_NH_ID) together with the attributes it stands for, but
/// accepts only one of the two.
bool belongs_to_path(int type) {
  return type == RTA_OIF || type == RTA_GATEWAY || type == RTA_VIA || type == RTA_MULTIPATH ||
         type == RTA_ENCAP || type == RTA_ENCAP_TYPE;
}

void put_others(std::vector<std::byte>& out, const RawRoute& route) {
  const bool has_object = route.find(RTA_NH_ID).has_value();
  wire::Bytes rest{route.attributes};
  while (const auto attribute = wire::take_attribute(rest)) {
    const int type = attribute->type;
    const bool replaced = type == RTA_DST || type == RTA_METRICS || type == RTA_CACHEINFO;
    if (replaced || (has_object && belongs_to_path(type))) continue;
    if (type == RTA_MULTIPATH) {
      wire::put_attribute(out, attribute->type, without_state(attribute->value));
    } else {
      wire::put_attribute(out, attribute->type, attribute->value);
    }
  }
}

}  // namespace

std::optional<RawRoute> RawRoute::parse(wire::Bytes payload) {
  const auto header = wire::front<rtmsg>(payload);
  if (!header) return std::nullopt;
  const auto rest = wire::after<rtmsg>(payload);
  return RawRoute{*header, {rest.begin(), rest.end()}};
}

std::optional<wire::Bytes> RawRoute::find(int type) const {
  wire::Bytes rest{attributes};
  while (const auto attribute = wire::take_attribute(rest)) {
    if (attribute->type == type) return attribute->value;
  }
  return std::nullopt;
}

std::uint32_t RawRoute::number(int type) const {
  const auto value = find(type);
  return value ? wire::front<std::uint32_t>(*value).value_or(0) : 0;
}

std::uint32_t RawRoute::metric(int type) const {
  wire::Bytes rest = find(RTA_METRICS).value_or(wire::Bytes{});
  while (const auto attribute = wire::take_attribute(rest)) {
    if (attribute->type == type) return wire::front<std::uint32_t>(attribute->value).value_or(0);
  }
  return 0;
}

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

bool preferred(const RawRoute& a, const RawRoute& b) {
  const auto rank = [](const RawRoute& route) {
    return std::tuple{route.header.rtm_table == RT_TABLE_LOCAL, route.header.rtm_dst_len,
                      ~route.number(RTA_PRIORITY)};
  };
  return rank(a) > rank(b);
}

std::vector<std::byte> copy_for(const RawRoute& route, const Prefix& network,
                                std::uint32_t initcwnd) {
  rtmsg header = route.header;
  header.rtm_dst_len = static_cast<unsigned char>(network.length);
  header.rtm_flags &= RTNH_F_ONLINK;
  if (route.header.rtm_dst_len != network.length) header.rtm_protocol = RTPROT_STATIC;
  const auto bytes = std::as_bytes(std::span{&header, 1});
  static_assert(sizeof header % NLMSG_ALIGNTO == 0);
  std::vector<std::byte> out{bytes.begin(), bytes.end()};
  if (network.length > 0) wire::put_attribute(out, RTA_DST, network.address);
  put_others(out, route);
  const auto metrics = metrics_with(route.find(RTA_METRICS).value_or(wire::Bytes{}), initcwnd);
  wire::put_attribute(out, RTA_METRICS, metrics);
  return out;
}

}  // namespace tcpinfo
