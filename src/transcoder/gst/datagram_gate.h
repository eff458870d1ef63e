#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"

namespace transcoder {

/// Passes on the data of a udpsrc or srtsrc as soon as it is a playable stream, without RTP
/// headers. Drops all other data, from which GStreamer would guess a wrong format for good, and
/// reports its kind to `report`. Lives as long as the element.
void add_datagram_gate(GstElement* element, std::shared_ptr<InputReport> report);

}  // namespace transcoder
