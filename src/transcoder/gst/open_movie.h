#pragma once

#include <cstdint>
#include <span>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Removes the durations from the `moov` of fragmented MP4 that does not say how long all fragments
/// are (ISO/IEC 14496-12, 8.8.2: no `mehd`). They are those of the samples in `moov` itself.
/// `bytes`: a whole box.
void remove_durations(std::span<std::uint8_t> bytes);

/// The same in what enters a qtdemux from a source that cannot seek. qtdemux would end with the
/// samples in `moov`. Call before it starts.
void open_movie(GstElement* qtdemux);

}  // namespace transcoder
