#include "app/doctor/doctor_proxies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "server/address.h"
#include "server/settings.h"
#include "tcpinfo/netlink/sock_diag.h"

namespace app {

namespace {

constexpr const char* kInstead =
    "see docs/PROXIES.md for setups that keep the viewers' own connections";

/// A machine reaches itself from the address that it connects to.
bool is_local(const tcpinfo::DiagSocket& socket) {
  return server::Address::of(socket.peer) == server::Address::of(socket.local);
}

}  // namespace

base::Result<std::size_t> local_connections(const Config& config) {
  tcpinfo::DiagQuery query;
  for (const auto& endpoint : config.server.listen) query.local_ports.push_back(endpoint.port);
  auto diag = tcpinfo::SockDiag::open();
  if (!diag) return base::Error{diag.error()};
  const auto sockets = diag->dump(query);
  if (!sockets) return base::Error{sockets.error()};
  return static_cast<std::size_t>(std::ranges::count_if(*sockets, is_local));
}

Findings examine_proxies(const Config& config, const base::Result<std::size_t>& local) {
  const auto known = server::all_proxies(config.server);
  if (!known.empty()) {
    std::vector<std::string> names;
    for (const auto& network : known) names.push_back(network.text());
    return {{Verdict::kLimited, "proxies",
             fmt::format("{}: rates follow the links to them, not the viewers'",
                         fmt::join(names, ", ")),
             kInstead}};
  }
  if (!local) {
    return {{Verdict::kLimited, "proxies", "unknown: " + local.error(),
             "if one is in front, add it to server.trusted_proxies"}};
  }
  if (*local == 0)
    return {{Verdict::kOk, "proxies", "none: no connection comes from this machine"}};
  return {{Verdict::kLimited, "proxies",
           fmt::format("{} connections to the server come from this machine", *local),
           fmt::format("if a proxy makes them, add it to server.trusted_proxies; {}", kInstead)}};
}

}  // namespace app
