#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

/// Metrics of this network namespace's routes (rtnetlink(7)). Start-up code: each call opens a
/// socket and reads the whole table. `network` is written like "192.0.2.0/24" or "2001:db8::/32";
/// "0.0.0.0/0" is the default route. Only the table main is used; policy routing (ip-rule(8)) is
/// ignored.
namespace tcpinfo {

/// The route that serves a whole network.
struct Route {
  bool exact = false;          ///< its prefix is that network; false if it is a wider one
  std::uint32_t initcwnd = 0;  ///< initial window in segments; 0 is the kernel's default, 10
};

base::Result<Route> find_route(const std::string& network);

enum class RouteChange { kNone, kReplaced, kAdded };

/// Sets the metric initcwnd of the route to `network`: new connections begin with a window of
/// `segments`. If only a wider route serves the network, adds a route for the network itself: a
/// copy of the wider one, without the lifetime that a router advertisement may have given. Does
/// nothing if the metric is already set. Needs CAP_NET_ADMIN.
///
/// The change lasts until someone changes the route. An added route keeps its gateway when that of
/// the wider route changes; then delete it (ip route del) and call this again.
base::Result<RouteChange> set_initcwnd(const std::string& network, std::uint32_t segments);

}  // namespace tcpinfo
