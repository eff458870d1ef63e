#include "app/routes.h"

#include "base/log.h"
#include "tcpinfo/netlink/routes.h"

namespace app {

namespace {

const char* name(tcpinfo::RouteChange change) {
  switch (change) {
    case tcpinfo::RouteChange::kNone:
      return "none";
    case tcpinfo::RouteChange::kReplaced:
      return "replaced";
    case tcpinfo::RouteChange::kAdded:
      return "added";
  }
  return "";
}

}  // namespace

void set_routes(const Config& config) {
  for (const auto& rule : route_rules(config)) {
    const auto network = rule.network.text();
    const auto change = tcpinfo::set_initcwnd(network, static_cast<std::uint32_t>(rule.initcwnd));
    if (change) {
      base::log::info(
          "route_set",
          {{"network", network}, {"initcwnd", rule.initcwnd}, {"change", name(*change)}});
    } else {
      base::log::warning(
          "route_failed",
          {{"network", network}, {"initcwnd", rule.initcwnd}, {"error", change.error()}});
    }
  }
}

}  // namespace app
