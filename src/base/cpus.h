#pragma once

#include <optional>
#include <string_view>

namespace base {

/// How many CPUs this process may use: those of its affinity mask, or fewer if a control group
/// limits their time (systemd's CPUQuota, docker --cpus). At least a hundredth. Reads /proc and
/// /sys: for the start and for reports.
double usable_cpus();

/// How many threads can run at once: usable_cpus(), rounded up.
int cpu_threads();

/// The limit in a cpu.max of control groups version 2, "QUOTA PERIOD" in microseconds. nullopt if
/// there is none ("max PERIOD") or the text is something else.
std::optional<double> parse_cpu_max(std::string_view text);

}  // namespace base
