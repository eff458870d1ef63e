#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"

namespace transcoder {

/// Lets a TsScanner read and edit what enters a tsdemux; it lives as long as the element.
/// Encryption goes to `report`. `program`: see TsScanner.
void add_ts_filter(GstElement* tsdemux, int program, std::shared_ptr<InputReport> report);

/// Makes a tsdemux pass on the times of a stream that comes in datagrams. GStreamer would fit them
/// to the arrivals, which squeezes the pictures of a burst into one moment; Timeline and LivePacer
/// are made for that.
void keep_stream_times(GstElement* tsdemux);

/// Whether the pad of a tsdemux with a filter carries an audio description.
bool is_audio_description(GstPad* pad);

}  // namespace transcoder
