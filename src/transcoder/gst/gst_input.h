#pragma once

#include "transcoder/gst/gst_types.h"
#include "transcoder/settings.h"

namespace transcoder {

/// The element that reads the source: a uridecodebin with decoded pads, or for `gst:` a bin whose
/// unlinked source pads are exposed through decodebins. The caller owns the floating reference.
/// Throws std::runtime_error, one line, when it cannot be made.
GstElement* make_input(const SourceSettings& source);

}  // namespace transcoder
