#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"

namespace transcoder {

/// Lets through what a udpsrc or srtsrc receives as soon as it is a stream that plays, takes it out
/// of RTP, and keeps the data of wrong senders away: they would make GStreamer guess a format, for
/// good. Their kind goes to `report`. Lives as long as the element.
void add_datagram_gate(GstElement* element, std::shared_ptr<InputReport> report);

}  // namespace transcoder
