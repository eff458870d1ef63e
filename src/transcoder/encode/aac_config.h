#pragma once

#include <array>
#include <cstdint>

#include "base/units.h"
#include "media/frame.h"

namespace transcoder {

/// AudioSpecificConfig (ISO/IEC 14496-3): AAC-LC, 48 kHz, two channels.
inline constexpr std::array<std::uint8_t, 2> kAacConfig{0x11, 0x90};
inline constexpr int kAacFrame = 1024;  ///< samples
inline constexpr base::Duration kAacDuration =
    std::chrono::nanoseconds{std::chrono::seconds{kAacFrame}} / media::kAudioRate;

}  // namespace transcoder
