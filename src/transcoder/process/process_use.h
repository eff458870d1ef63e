#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "base/units.h"

namespace transcoder {

/// Memory, threads and CPU time of a process.
struct ProcessUse {
  base::ByteCount memory;  ///< of its own, in use: neither files nor libraries that others share
  int threads = 0;
  base::Duration cpu{};  ///< since its start
};

/// nullopt if it has ended. `pid`: a process that we have not waited for, so that no other one has
/// its number.
std::optional<ProcessUse> use_of(pid_t pid);

/// Memory and threads in the text of /proc/PID/status (proc_pid_status(5)).
ProcessUse parse_status(std::string_view status);

}  // namespace transcoder
