#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/time/fragment_clock.h"

namespace transcoder {

/// Whether the element splits HLS, DASH or Smooth Streaming into tracks, each in a container.
bool is_adaptive_demuxer(GstElement* element);

/// Reads what enters a demuxer of an adaptive source's track, for follow_media().
void read_media_times(GstElement* demuxer);

/// Moves data that leaves the pad of such a demuxer, or packed audio that leaves a pad of the
/// adaptive source itself, to the timeline of all tracks.
void follow_media(GstPad* pad, std::shared_ptr<FragmentClock> clock);

}  // namespace transcoder
