#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace transcoder {

/// By how many pictures MPEG-4 Part 2 video with B pictures is shown later than it is decoded: says
/// a video object layer header in `bytes` (ISO/IEC 14496-2, 6.2.3). nullopt if it does not say, or
/// there is none.
std::optional<int> mpeg4_reorder_delay(std::span<const std::uint8_t> bytes);

/// The same of H.264 in a byte stream: says its sequence parameter set (ISO/IEC 14496-10, 7.3.2.1.1
/// and E.1.1).
std::optional<int> h264_reorder_delay(std::span<const std::uint8_t> bytes);

}  // namespace transcoder
