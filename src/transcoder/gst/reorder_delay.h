#pragma once

#include <cstdint>
#include <span>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Whether MPEG-4 Part 2 video may have B pictures, which are shown later than they are decoded:
/// says a video object layer header in `bytes` (ISO/IEC 14496-2, 6.2.3). false if there is none.
bool may_reorder(std::span<const std::uint8_t> bytes);

/// Gives the MPEG-4 pictures that leave a pad of avidemux their time. AVI counts them in the order
/// of decoding, and avidemux takes that for the order of presentation, but only at keyframes. After
/// this, only the first one has a presentation time, later by the delay of reordering; the decoder
/// counts on from there.
void order_pictures(GstPad* pad);

}  // namespace transcoder
