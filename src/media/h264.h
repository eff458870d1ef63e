#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// What has to be known of H.264's byte stream (ITU-T H.264, Annex B) outside the encoder.
namespace media::h264 {

using Bytes = std::span<const std::uint8_t>;

/// The NAL units of `stream`, without start codes.
std::vector<Bytes> nal_units(Bytes stream);

/// Appends them with their lengths before them, 4 bytes each (ISO/IEC 14496-15, 5.3.3).
void append_with_lengths(std::vector<std::uint8_t>& out, Bytes stream);

}  // namespace media::h264
