#pragma once

#include <memory>

#include "transcoder/gst/gst_types.h"
#include "transcoder/time/fragment_clock.h"

namespace transcoder {

/// Whether the element splits HLS, DASH or Smooth Streaming into tracks, each in a container.
bool is_adaptive_demuxer(GstElement* element);

/// Where the data of a source get their place on its timeline from. In adaptive sources each track
/// has a demuxer, and a timeline, of its own.
enum class FragmentOrigin {
  kNone,      ///< not adaptive
  kPlaylist,  ///< HLS: a playlist says where times restart, and they may have jumped anywhere
  kManifest   ///< DASH, Smooth Streaming: the manifest says which time in the media is which
};

FragmentOrigin fragment_origin(GstElement* adaptive);

/// Reads what enters a demuxer of an adaptive source's track, for follow_media(), and puts a
/// transport stream on the timeline of all tracks. Does nothing with other sources.
void read_media_times(GstElement* demuxer, FragmentOrigin origin,
                      std::shared_ptr<FragmentClock> clock);

/// Moves data that leaves the pad of such a demuxer, or packed audio that leaves a pad of the
/// adaptive source itself, to the timeline of all tracks.
void follow_media(GstPad* pad, std::shared_ptr<FragmentClock> clock);

}  // namespace transcoder
