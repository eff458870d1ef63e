#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// What has to be known of MPEG-TS (ISO/IEC 13818-1) outside the muxer.
namespace media {

inline constexpr std::size_t kTsPacketSize = 188;

/// The packets that make `bytes` (whole TS packets) follow anything without a continuity error:
/// for each PID in `bytes`, one packet of only an adaptation field, with discontinuity_indicator
/// set and the counter that the PID's first packet continues (2.4.3.4-5). `bytes` stays as it is.
std::vector<std::uint8_t> ts_splice(std::span<const std::uint8_t> bytes);

}  // namespace media
