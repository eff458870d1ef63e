#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/input_report.h"

namespace transcoder {

/// Makes a TsScanner read and edit the data that enters a tsdemux; it lives as long as the element
/// and reports encryption to `report`. `program`: see TsScanner.
void add_ts_filter(GstElement* tsdemux, int program, std::shared_ptr<InputReport> report);

/// Makes a tsdemux keep the timestamps of a stream that arrives in datagrams. GStreamer would adapt
/// them to the arrival times and so give all pictures of a burst about the same time; Timeline and
/// LivePacer handle bursts instead.
void keep_stream_times(GstElement* tsdemux);

/// Whether the pad of a tsdemux with a filter carries an audio description.
bool is_audio_description(GstPad* pad);

}  // namespace transcoder
