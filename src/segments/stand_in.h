#pragma once

#include <cstdint>
#include <optional>

#include "segments/track.h"

namespace segments {

/// A stand-in for segment `number`, which was never made because the server was away when it was
/// due, or which its predecessor made and took away with it: the first frames of `next`, a later
/// segment, in slow motion. Of audio only the first one, or it would be chopped. DASH players
/// compute numbers from the time, HLS players have them from the old playlist. dash.js and VLC give
/// up for good at a segment that does not exist, and libavformat at an empty one.
///
/// Has 5 frames/s: a decoder shows its first frame when it has received one for each of its
/// threads, and GStreamer gives it no more than a second of video ahead of the audio. With one
/// frame per segment, a player that started there waited for ever.
///
/// Returns nullopt until `next` has that many frames or is complete; `at_once`: until it has any.
std::optional<Segment> stand_in(std::uint64_t number, const Segment& next,
                                const SegmentClock& clock, bool at_once);

}  // namespace segments
