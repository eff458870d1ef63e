#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace transcoder {

// Packets of a transport stream: ISO/IEC 13818-1, 2.4.3.2.

inline constexpr std::size_t kTsPacketBytes = 188;
/// The distances between packets: plain, with a timestamp before each (M2TS), or with error
/// correction after each (DVB, ATSC). GStreamer supports the same.
inline constexpr std::size_t kTsStrides[] = {kTsPacketBytes, 192, 204, 208};
inline constexpr std::uint8_t kTsSyncByte = 0x47;
inline constexpr int kTsNullPid = 0x1fff;

/// The distance between the packets in `bytes`; 0 if there are no four sync bytes in a row. Fewer
/// could be a coincidence: one payload in 1000 has a second one at some distance.
inline std::size_t find_ts_stride(std::span<const std::uint8_t> bytes) {
  for (std::size_t at = 0; at + 3 * kTsPacketBytes < bytes.size(); ++at) {
    for (const auto stride : kTsStrides) {
      bool all = at + 3 * stride < bytes.size();
      for (std::size_t i = 0; all && i < 4; ++i) all = bytes[at + i * stride] == kTsSyncByte;
      if (all) return stride;
    }
  }
  return 0;
}

using TsPacket = std::array<std::uint8_t, kTsPacketBytes>;

inline int ts_pid(std::span<const std::uint8_t, kTsPacketBytes> packet) {
  return (packet[1] & 0x1f) << 8 | packet[2];
}

inline void set_ts_pid(std::span<std::uint8_t, kTsPacketBytes> packet, int pid) {
  packet[1] = static_cast<std::uint8_t>((packet[1] & 0xe0) | pid >> 8);
  packet[2] = static_cast<std::uint8_t>(pid);
}

/// Makes it a null packet.
inline void hide_ts_packet(std::span<std::uint8_t, kTsPacketBytes> packet) {
  packet[1] = kTsNullPid >> 8;
  packet[2] = kTsNullPid & 0xff;
  packet[3] = 0x10;
}

/// The payload of a packet; empty if it has none.
inline std::span<const std::uint8_t> ts_payload(
    std::span<const std::uint8_t, kTsPacketBytes> packet) {
  const std::size_t begin = 4 + ((packet[3] & 0x20) != 0 ? 1U + packet[4] : 0U);
  if ((packet[3] & 0x10) == 0 || begin >= packet.size()) return {};
  return packet.subspan(begin);
}

}  // namespace transcoder
