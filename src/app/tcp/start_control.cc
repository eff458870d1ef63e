#include "app/tcp/start_control.h"

#include <algorithm>

#include "tcpinfo/congestion_control.h"

namespace app {

StartControl start_control(const server::Address& address, const TcpSettings& tcp,
                           const StandardControls& standard) {
  const auto rule = std::ranges::find_if(tcp.networks, [&](const NetworkRule& r) {
    return !r.congestion_control.empty() && r.network.contains(address);
  });
  const auto& name = rule == tcp.networks.end() ? tcp.congestion_control : rule->congestion_control;
  if (name == kAutomaticControl) {
    return {standard.automatic, standard.chooses && tcpinfo::is_bbr(standard.automatic)};
  }
  return {name.empty() ? standard.standard : name};
}

}  // namespace app
