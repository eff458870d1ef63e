#pragma once

#include <cstdint>
#include <span>

namespace transcoder {

/// Whether these bytes are the beginning of an FLV stream (Adobe's FLV specification 10.1, annex E)
/// and hold neither video nor audio, only its header and tags with script data. rtmp2src makes the
/// header itself, and servers of RTMP send script data although nobody publishes. No I/O.
bool is_flv_head(std::span<const std::uint8_t> bytes);

}  // namespace transcoder
