#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/time/play_start.h"

namespace transcoder {

/// Synchronizes the track of one rtpjitterbuffer with the others that share `start`: by RTP-Info
/// until sender reports arrive, and by sender reports even if they lack a name. Call before it
/// starts.
void keep_in_time(GstElement* jitterbuffer, std::shared_ptr<PlayStart> start);

}  // namespace transcoder
