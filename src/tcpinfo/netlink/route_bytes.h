#pragma once

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tcpinfo/netlink/wire.h"

/// Routes as bytes of rtnetlink(7). Pure functions.
namespace tcpinfo {

/// A network.
struct Prefix {
  int family = AF_UNSPEC;
  unsigned length = 0;  ///< bits
  std::vector<std::byte> address;
};

/// A route exactly as the kernel sent it, so that a copy keeps everything: nexthop objects,
/// encapsulation, multiple paths and other metrics. libnl-route knows neither of the first two, and
/// cannot read a table that contains encapsulation.
struct RawRoute {
  rtmsg header{};
  std::vector<std::byte> attributes;

  /// nullopt if `payload`, that of a message, is too short.
  static std::optional<RawRoute> parse(wire::Bytes payload);

  std::optional<wire::Bytes> find(int type) const;
  /// 0 if there is none.
  std::uint32_t number(int type) const;
  std::uint32_t metric(int type) const;
};

/// Whether `route` carries all packets to `network`, whatever their source and type of service.
bool serves(const RawRoute& route, const Prefix& network);

/// The kernel's order: table local before main, then the longest prefix, then the lowest priority
/// value.
bool preferred(const RawRoute& a, const RawRoute& b);

/// The payload of a request for a route to `network` that is a copy of `route`, except for the
/// metric initcwnd and the lifetime.
std::vector<std::byte> copy_for(const RawRoute& route, const Prefix& network,
                                std::uint32_t initcwnd);

}  // namespace tcpinfo
