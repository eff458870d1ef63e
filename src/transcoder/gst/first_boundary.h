#pragma once

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Adds the first boundary to a multipart response of a souphttpsrc that begins with the head of
/// its first part, as some cameras send motion JPEG: without it the response is not recognized.
void add_first_boundary(GstElement* souphttpsrc);

}  // namespace transcoder
