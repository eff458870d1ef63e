#pragma once

#include "transcoder/gst/gst_types.h"
#include "transcoder/settings.h"

namespace transcoder {

// Bins that convert one decoded track, from their pad "sink" to an appsink named "out". The appsink
// holds a few buffers and then blocks the decoder. The caller owns the floating reference. Both
// throw std::runtime_error if an element is not installed.

/// Converts to progressive, upright I420 within the limits, or I420_10LE if the colours are wide.
/// as_frame() converts these, and handles odd sizes.
GstElement* make_picture_branch(const VideoSettings& limits);
/// Converts to interleaved float at media::kAudioRate, and mixes down to media::kAudioChannels.
GstElement* make_audio_branch();

}  // namespace transcoder
