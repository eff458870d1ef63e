#pragma once

#include <cstdint>
#include <span>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Removes the durations from the `moov` of fragmented MP4 that does not state the length of all
/// fragments (ISO/IEC 14496-12, 8.8.2: no `mehd`). These durations cover only the samples in `moov`
/// itself. `bytes`: a whole box.
void remove_durations(std::span<std::uint8_t> bytes);

/// Does the same to the data that enters a qtdemux from a source that cannot seek. qtdemux would
/// end after the samples in `moov`. Call before it starts.
void open_movie(GstElement* qtdemux);

}  // namespace transcoder
