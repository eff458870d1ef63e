#pragma once

#include "transcoder/gst/gst_types.h"
#include "transcoder/settings.h"

namespace transcoder {

/// A bin from one decoded stream (its pad "sink") to an appsink named "out", which holds a few
/// buffers and then blocks the decoder. The caller owns the floating reference. Throws
/// std::runtime_error when an element is not installed.
///
/// Pictures: progressive I420, scaled down to the limits; odd sizes are left to as_frame().
GstElement* make_picture_branch(const VideoSettings& limits);
/// Audio: interleaved float at media::kAudioRate and media::kAudioChannels; more are mixed down.
GstElement* make_audio_branch();

}  // namespace transcoder
