#pragma once

#include <cstdint>
#include <span>
#include <vector>

/// H.264's byte stream format (ITU-T H.264, Annex B), as needed outside the encoder. Pure
/// functions.
namespace media::h264 {

using Bytes = std::span<const std::uint8_t>;

/// The NAL units of `stream`, without start codes. They point into `stream`.
std::vector<Bytes> nal_units(Bytes stream);

/// Appends the NAL units of `stream` to `out`, each after its length in 4 bytes (ISO/IEC 14496-15,
/// 5.3.3).
void append_with_lengths(std::vector<std::uint8_t>& out, Bytes stream);

}  // namespace media::h264
