#pragma once

#include "transcoder/gst/gst_types.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Makes the element that reads the source: a uridecodebin with decoded pads, or for `gst:` a bin
/// that exposes its unlinked source pads through decodebins. The caller owns the floating
/// reference. Throws std::runtime_error with a one-line text on failure.
GstElement* make_input(const SourceSettings& source);

}  // namespace transcoder
