#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/config/config.h"
#include "base/unique_fd.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/ebpf/congestion_controls.h"
#include "tcpinfo/ebpf/event_programs.h"
#include "tcpinfo/netlink/destroyed_sockets.h"
#include "tcpinfo/socket_hints.h"

namespace app {

/// What may need capabilities: opened once, before other threads start and before anything from the
/// network is read. Using it needs none.
struct KernelAccess {
  tcpinfo::EventSource event_source = tcpinfo::EventSource::kTcpInfo;
  std::unique_ptr<tcpinfo::EventPrograms> events;                    ///< null: events are polled
  std::unique_ptr<tcpinfo::CongestionControls> congestion_controls;  ///< null: the kernel's alone
  tcpinfo::SocketHints hints;
  std::string standard_congestion_control;                     ///< of streams that name none
  std::optional<tcpinfo::DestroyedSockets> destroyed_sockets;  ///< empty: not told
  std::vector<base::UniqueFd> listening;                       ///< for Settings::listen
};

/// Takes the best that this machine allows and says in the log what that is. Throws
/// base::SystemError when an address cannot be listened on, and as the next one.
KernelAccess open_kernel(const Config& config);

/// Throws ConfigError, one line, when a stream wants a congestion control that cannot be
/// had.
void require_congestion_controls(const Config& config, const tcpinfo::SocketHints& hints);

/// Gives up every capability, for good, in the calling thread and those that it starts. Throws
/// base::SystemError.
void drop_capabilities();

}  // namespace app
