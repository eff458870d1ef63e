#pragma once

#include "base/units.h"

namespace transcoder {

/// Bounds what this process may use, for good. `memory` counts what it writes to and does not
/// share. Beyond it, an allocation fails at once. Call before the first thread.
void limit_self(base::ByteCount memory);

/// For good. Throws base::SystemError.
void give_up_capabilities();

}  // namespace transcoder
