#pragma once

#include <memory>
#include <vector>

#include "app/config/config.h"
#include "base/unique_fd.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/ebpf/event_programs.h"

namespace app {

/// What may need capabilities: opened once, before other threads start and before anything from the
/// network is read. Using it needs none.
struct KernelAccess {
  tcpinfo::EventSource event_source = tcpinfo::EventSource::kTcpInfo;
  std::unique_ptr<tcpinfo::EventPrograms> events;  ///< null: events are polled
  std::vector<base::UniqueFd> listening;           ///< for Settings::listen
};

/// Takes the best that this machine allows and says in the log what that is. Throws
/// base::SystemError when an address cannot be listened on.
KernelAccess open_kernel(const Config& config);

/// Gives up every capability, for good, in the calling thread and those that it starts. Throws
/// base::SystemError.
void drop_capabilities();

}  // namespace app
