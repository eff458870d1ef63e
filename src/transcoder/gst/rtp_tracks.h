#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/time/play_start.h"

namespace transcoder {

/// Keeps the track of one rtpjitterbuffer in time with those of the others that share `start`:
/// before sender reports arrive by RTP-Info, and also by reports that lack a name. Call before it
/// starts.
void keep_in_time(GstElement* jitterbuffer, std::shared_ptr<PlayStart> start);

}  // namespace transcoder
