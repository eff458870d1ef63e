#pragma once

#include <string>

#include "app/config/config.h"
#include "server/address.h"

namespace app {

/// The congestion controls that this machine has where the configuration names none.
struct StandardControls {
  std::string standard;   ///< the kernel's default
  std::string automatic;  ///< with which kAutomaticControl begins: BBR if there is one
  bool chooses = true;    ///< CUBIC may be set as well, without privileges
};

/// The congestion control that a connection begins with.
struct StartControl {
  std::string name;
  bool automatic = false;  ///< kAutomaticControl, with BBR: it may begin with another, and change
};

/// That of the first [[tcp.network]] rule that matches `address` and names one, else the stream's,
/// else the kernel's default. A pure function.
StartControl start_control(const server::Address& address, const TcpSettings& tcp,
                           const StandardControls& standard);

}  // namespace app
