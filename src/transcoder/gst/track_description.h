#pragma once

#include <string>

#include "transcoder/gst/gst_types.h"
#include "transcoder/gst/track_choice.h"

namespace transcoder {

/// ISO 639-1 if the language has such a code, else the text itself: containers use both kinds.
std::string language_code(const char* text);

/// The codec of the data at a pad, for people: "H.264 (High Profile)". Empty if the pad has no
/// format yet.
std::string describe_codec(GstPad* pad);

/// The format of decoded audio at a pad, for people: "6 channels at 48000 Hz". Empty if the pad has
/// none.
std::string describe_samples(GstPad* pad);

/// The description of the audio track at a demuxer's pad, from the demuxer.
AudioTrack describe_audio(GstPad* pad);

}  // namespace transcoder
