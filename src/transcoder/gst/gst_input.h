#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Makes the bin that reads the source: an element for the URI, or for `gst:` the elements of the
/// launch text, and a TrackInput. Its pads are "pictures" and "audio", with decoded data. The
/// caller owns the reference. Throws std::runtime_error with a one-line text on failure.
GstElement* make_input(const SourceSettings& source, const std::shared_ptr<InputReport>& report);

}  // namespace transcoder
