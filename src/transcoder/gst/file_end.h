#pragma once

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Lets a demuxer notice the end of a file. Some (avdemux_gif) read there again and again, as fast
/// as they can, and never end the file; an error ends them. Call before the filesrc starts.
void end_file(GstElement* filesrc);

}  // namespace transcoder
