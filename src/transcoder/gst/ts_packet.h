#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace transcoder {

// Packets of a transport stream: ISO/IEC 13818-1, 2.4.3.2.

inline constexpr std::size_t kTsPacketBytes = 188;
using TsPacket = std::array<std::uint8_t, kTsPacketBytes>;

inline int ts_pid(std::span<const std::uint8_t, kTsPacketBytes> packet) {
  return (packet[1] & 0x1f) << 8 | packet[2];
}

/// The payload of a packet; empty if it has none.
inline std::span<const std::uint8_t> ts_payload(
    std::span<const std::uint8_t, kTsPacketBytes> packet) {
  const std::size_t begin = 4 + ((packet[3] & 0x20) != 0 ? 1U + packet[4] : 0U);
  if ((packet[3] & 0x10) == 0 || begin >= packet.size()) return {};
  return packet.subspan(begin);
}

}  // namespace transcoder
