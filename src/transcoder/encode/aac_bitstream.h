#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "media/audio_frame.h"

namespace transcoder {

/// The window in which a raw AAC-LC frame overlaps the next one. kUnknown if the channels differ in
/// it, or if the frame begins with anything but a channel or a pair of channels.
media::AudioWindow aac_window(std::span<const std::uint8_t> frame);

/// Turns a raw frame of one channel into one of two equal channels, at a cost of about 28 bits: a
/// pair coded as mid and side (M/S), with an empty side. nullopt if the frame is not one channel
/// alone. Its encoder must use neither PNS nor TNS, which decoders apply after M/S.
std::optional<std::vector<std::uint8_t>> aac_pair(std::span<const std::uint8_t> mono);

}  // namespace transcoder
