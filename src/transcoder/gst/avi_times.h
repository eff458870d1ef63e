#pragma once

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Sets the presentation times of data that leaves a pad of avidemux; does nothing for other
/// demuxers. AVI numbers pictures in decoding order. avidemux takes this for presentation order,
/// but only at keyframes, and gives data no presentation time at all if the source cannot seek. The
/// results are:
///
///   audio, and video in order   the decoding time
///   video with B pictures       the first picture has a time, later by the delay of reordering,
///                               and the decoder counts on from there
///   video that does not say     as before
void set_avi_times(GstPad* pad);

}  // namespace transcoder
