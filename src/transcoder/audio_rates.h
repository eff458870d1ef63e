#pragma once

#include <array>
#include <vector>

#include "base/units.h"
#include "media/audio_frame.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Lower rates of the audio. An AAC frame of 48 kbit/s fits into one packet of MPEG-TS; one of 64
/// takes two, as one of 128 does. At 32 kbit/s, in mono, speech is easily understood.
inline constexpr std::array kLowerAudioRates{base::BitRate::kbps(48), base::BitRate::kbps(32)};
static_assert(1 + kLowerAudioRates.size() <= media::kMaxAudioRungs);

/// The rates that a stream's audio is offered at: audio.rate, and the lower ones that are not below
/// audio.min_rate. Falling, and never empty; an index is a rung, 0 the highest.
inline std::vector<base::BitRate> audio_rates(const AudioSettings& settings) {
  std::vector<base::BitRate> rates{settings.rate};
  for (const auto rate : kLowerAudioRates) {
    if (rate < settings.rate && rate >= settings.min_rate) rates.push_back(rate);
  }
  return rates;
}

}  // namespace transcoder
