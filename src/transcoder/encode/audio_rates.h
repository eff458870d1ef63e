#pragma once

#include <vector>

#include "base/units.h"
#include "transcoder/settings.h"

namespace transcoder {

/// The rates that a stream's audio is offered at: audio.rate, a half and a quarter of it, without
/// those below audio.min_rate. Falling, and never empty; an index is a rung, 0 the highest. At most
/// media::kMaxAudioRungs.
std::vector<base::BitRate> audio_rates(const AudioSettings& settings);

}  // namespace transcoder
