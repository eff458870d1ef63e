#pragma once

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Gives each picture that leaves a decoder the time of the data that entered it last, because
/// avdec_gif gives all pictures the time of the first. Only for decoders that output each picture
/// at once.
void keep_input_times(GstElement* decoder);

}  // namespace transcoder
