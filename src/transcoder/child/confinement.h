#pragma once

#include <string>
#include <vector>

#include "transcoder/source.h"

namespace transcoder {

/// Confines this process for good to what a source of this URI needs, as far as the kernel can.
/// `folders` are readable as well. Call before the first thread. A layer that fails says so on
/// stderr.
Isolation confine(const std::string& uri, const std::vector<std::string>& folders);

}  // namespace transcoder
