#pragma once

#include "base/units.h"
#include "transcoder/settings.h"

namespace transcoder {

/// CPUs that one encoder needs in real time on this machine, for moving pictures of the largest
/// size and frame rate that `video` allows, at `rate`. Encodes them for half a second of CPU time.
/// Counts the calling thread, so `encoder.threads` has to be 1. Throws std::runtime_error if no
/// such encoder can be opened.
double measure_encode_cost(const EncoderSettings& encoder, const VideoSettings& video,
                           base::BitRate rate);

}  // namespace transcoder
