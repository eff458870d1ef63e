#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

/// Metrics of this network namespace's routes (rtnetlink(7)). Start-up code: each call opens a
/// socket and reads the whole table. `network`: "192.0.2.0/24", "2001:db8::/32"; "0.0.0.0/0" is the
/// default route. Policy routing (ip-rule(8)) is left alone: routes are those of the table main.
namespace tcpinfo {

/// The route that serves a whole network.
struct Route {
  bool exact = false;          ///< it is of just that network; false: of one that holds it
  std::uint32_t initcwnd = 0;  ///< segments a new connection begins with; 0: the kernel's 10
};

base::Result<Route> find_route(const std::string& network);

enum class RouteChange { kNone, kReplaced, kAdded };

/// New connections to `network` begin with `segments`: the metric initcwnd of its route. Where only
/// a wider route serves it, one for the network itself is added, the same but for the metric and
/// for the lifetime that a router advertisement may have given. What has it already is left as it
/// is. Needs CAP_NET_ADMIN; stays until somebody changes it: an added route keeps its gateway when
/// that of the wider one changes, and must then be set anew (ip route del, then this).
base::Result<RouteChange> set_initcwnd(const std::string& network, std::uint32_t segments);

}  // namespace tcpinfo
