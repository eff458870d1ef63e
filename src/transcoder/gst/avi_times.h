#pragma once

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Gives the data that leave a pad of avidemux their presentation times; does nothing for other
/// demuxers. AVI counts pictures in the order of decoding, and avidemux takes that for the order of
/// presentation, but only at keyframes. From a source that cannot seek it gives data no
/// presentation time at all. After this:
///
///   audio, and video in order   the decoding time
///   video with B pictures       the first picture has a time, later by the delay of reordering,
///                               and the decoder counts on from there
///   video that does not say     as before
void set_avi_times(GstPad* pad);

}  // namespace transcoder
