#pragma once

#include <vector>

#include "transcoder/gst/gst_handles.h"
#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// The source pads that an element has now.
std::vector<PadHandle> source_pads(GstElement* element);
/// Those of them that are not linked.
std::vector<PadHandle> open_source_pads(GstElement* element);

/// Whether the pad's format is known already.
bool has_fixed_format(GstPad* pad);

/// Whether the pad carries a format that a demuxer splits into tracks.
bool is_container(GstPad* pad);

/// The installed demuxer of the highest rank for the pad's format, with a floating reference;
/// nullptr if there is none. Throws std::runtime_error if it cannot read data that come in order.
GstElement* make_demuxer(GstPad* pad);

}  // namespace transcoder
