#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "media/frame.h"

namespace transcoder {

/// AudioSpecificConfig (ISO/IEC 14496-3): AAC-LC, 48 kHz, two channels.
inline constexpr std::array<std::uint8_t, 2> kAacConfig{0x11, 0x90};
/// Of AAC-LC (ISO/IEC 14496-3): 21.3 ms.
inline constexpr int kAacFrameSamples = 1024;
inline constexpr base::Duration kAacFrameDuration =
    std::chrono::nanoseconds{std::chrono::seconds{kAacFrameSamples}} / media::kAudioRate;

}  // namespace transcoder
