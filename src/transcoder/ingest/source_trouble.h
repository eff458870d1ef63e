#pragma once

#include <span>
#include <string>

#include "transcoder/source.h"

namespace transcoder {

/// All kinds, in the order of their weight.
std::span<const SourceTrouble> all_troubles();

/// One word, such as "no_keyframe", as log, page, API and metrics show it.
const char* name(SourceTrouble trouble);

/// A sentence for the operator. `detail` may be empty.
std::string describe(SourceTrouble trouble, const std::string& detail);

}  // namespace transcoder
