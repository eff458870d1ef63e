#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Refuses a source before it takes memory for a picture larger than `most`: checks the formats
/// that the element gets and announces, and the headers of pictures that it parses or decodes. Call
/// before it starts.
void guard_pictures(GstElement* element, PictureSize most, std::shared_ptr<InputReport> report);

}  // namespace transcoder
