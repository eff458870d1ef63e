#pragma once

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Makes a demuxer notice the end of a file. Some (avdemux_gif) keep reading there, as fast as they
/// can, and stop only at an error. Call before the filesrc starts.
void end_file(GstElement* filesrc);

}  // namespace transcoder
