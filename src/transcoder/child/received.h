#pragma once

#include <atomic>
#include <cstdint>

namespace transcoder {

/// Bytes that this process has read by recv(), as GStreamer reads TCP. On any thread.
inline std::atomic<std::uint64_t> received_bytes = 0;

}  // namespace transcoder
