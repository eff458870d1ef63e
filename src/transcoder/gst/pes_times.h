#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "transcoder/gst/ts_packet.h"

namespace transcoder {

/// The 33 bits of a PTS or DTS in a PES header (ISO/IEC 13818-1, 2.4.3.6), in ticks of 90 kHz.
std::uint64_t pes_time(std::span<const std::uint8_t> bytes);
/// Replaces them.
void set_pes_time(std::span<std::uint8_t> bytes, std::uint64_t ticks);
/// The PTS, and the DTS, if the packet begins a PES packet that has them; otherwise empty.
std::span<std::uint8_t> pts_bytes(std::span<std::uint8_t, kTsPacketBytes> packet);
std::span<std::uint8_t> dts_bytes(std::span<std::uint8_t, kTsPacketBytes> packet);

/// The base of the PCR in a packet, in ticks of 90 kHz; nullopt if it has none.
std::optional<std::uint64_t> pcr_base(std::span<const std::uint8_t, kTsPacketBytes> packet);
/// Replaces it. The packet has one.
void set_pcr_base(std::span<std::uint8_t, kTsPacketBytes> packet, std::uint64_t ticks);

}  // namespace transcoder
