#pragma once

#include "base/units.h"
#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// How many threads a decoder may use, between 1 and 16 or `cpus`, so that its pictures of this
/// size fit into `memory`, which is that of the whole process. libav decodes a picture on each
/// thread, and each holds the pictures that its own needs.
int decoder_threads(base::ByteCount picture, base::ByteCount memory, int cpus);

/// Lets the element use as many, once it knows what it decodes, if it is one of libav's decoders of
/// pictures. Call before it starts.
void limit_threads(GstElement* element, base::ByteCount memory);

}  // namespace transcoder
