#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace transcoder {

/// From now on this thread, and those that it will start, may read only these files and folders,
/// with all below them, and may write to none (landlock(7)). Paths that do not exist are left out.
/// Returns the version of the kernel's interface. Call before the first thread.
base::Result<int> allow_reading_only(std::span<const std::string> paths);

/// Version of the kernel's interface; 0 if it has none.
int landlock_version();

}  // namespace transcoder
