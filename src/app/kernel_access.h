#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/config/config.h"
#include "app/tcp/start_control.h"
#include "base/unique_fd.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/ebpf/congestion_controls.h"
#include "tcpinfo/ebpf/event_programs.h"
#include "tcpinfo/netlink/destroyed_sockets.h"
#include "tcpinfo/socket_hints.h"
#include "transcoder/process/memory_group.h"

namespace app {

/// Everything that may need capabilities to open. It is opened once, before other threads start and
/// before anything from the network is read. Using it needs no capabilities.
struct KernelAccess {
  std::shared_ptr<transcoder::MemoryGroups> memory_groups;  ///< null if sources have none
  tcpinfo::EventSource event_source = tcpinfo::EventSource::kTcpInfo;
  std::unique_ptr<tcpinfo::EventPrograms> events;                    ///< null if events are polled
  std::unique_ptr<tcpinfo::CongestionControls> congestion_controls;  ///< null if only the kernel's
  tcpinfo::SocketHints hints;
  StandardControls standard_controls;
  std::optional<tcpinfo::DestroyedSockets> destroyed_sockets;  ///< nullopt if unavailable
  std::vector<base::UniqueFd> listening;                       ///< for Settings::listen
};

/// Opens the best that this machine allows and logs what that is. Throws base::SystemError if it
/// cannot listen on an address, and ConfigError like require_congestion_controls().
KernelAccess open_kernel(const Config& config);

/// Throws ConfigError (one line) if a stream names a congestion control that is not available.
void require_congestion_controls(const Config& config, const tcpinfo::SocketHints& hints);

/// Gives up all capabilities for good, in the calling thread and the threads it starts. Throws
/// base::SystemError.
void drop_capabilities();

}  // namespace app
