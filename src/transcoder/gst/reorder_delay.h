#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace transcoder {

/// The reordering delay of MPEG-4 Part 2 video with B pictures, in pictures, from the video object
/// layer header in `bytes` (ISO/IEC 14496-2, 6.2.3). nullopt if there is no such header, or it does
/// not state the delay.
std::optional<int> mpeg4_reorder_delay(std::span<const std::uint8_t> bytes);

/// The same for H.264 in a byte stream, from its sequence parameter set (ISO/IEC 14496-10,
/// 7.3.2.1.1 and E.1.1).
std::optional<int> h264_reorder_delay(std::span<const std::uint8_t> bytes);

}  // namespace transcoder
