#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "base/units.h"
#include "transcoder/source.h"

namespace transcoder {

/// nullopt if it has ended. `pid`: a process that we have not waited for, so that no other one has
/// its number.
std::optional<ProcessUse> use_of(pid_t pid);

/// Memory and threads in the text of /proc/PID/status (proc_pid_status(5)).
ProcessUse parse_status(std::string_view status);

}  // namespace transcoder
