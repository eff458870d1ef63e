#pragma once

#include "transcoder/gst/gst_types.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Ends the pipeline before it takes memory for a picture larger than `most`: checks the formats
/// that the element gets and announces, and the headers of pictures that it parses or decodes. Call
/// before it starts.
void guard_pictures(GstElement* element, PictureSize most);

/// Whether a message of the bus is an error of that kind.
bool is_refusal(GstMessage* message);

}  // namespace transcoder
