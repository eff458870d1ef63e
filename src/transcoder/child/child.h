#pragma once

#include "base/unique_fd.h"

namespace transcoder {

/// The work of a source's process: plays one source with GStreamer, and sends what it has to say
/// through `media`, its pictures through the memory `ring`. Returns the exit code once the server
/// asks for the end or has gone. Never returns if the source ends by itself: then the process exits
/// as it is, because taking a pipeline down can hang.
int run_child(base::UniqueFd media, base::UniqueFd ring);

}  // namespace transcoder
