#pragma once

#include <span>

#include "transcoder/source.h"

namespace transcoder {

std::span<const SourceEnd::Cause> all_causes();

/// One word, such as "crashed", as the metrics show it.
const char* name(SourceEnd::Cause cause);

}  // namespace transcoder
