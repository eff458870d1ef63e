#pragma once

#include <optional>
#include <string_view>

#include "base/units.h"

namespace base {

/// How much memory this process and its children may use together: that of the machine, or less if
/// a control group limits it (systemd's MemoryMax, docker --memory). Reads /proc and /sys: for the
/// start and for reports.
ByteCount usable_memory();

/// The limit in a memory.max of control groups version 2 or a memory.limit_in_bytes of version 1.
/// nullopt if there is none ("max") or the text is something else.
std::optional<ByteCount> parse_memory_max(std::string_view text);

}  // namespace base
