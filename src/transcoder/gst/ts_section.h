#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transcoder/gst/ts_packet.h"

namespace transcoder {

/// A section of program-specific information, with its CRC: ISO/IEC 13818-1, 2.4.4.
using TsSection = std::vector<std::uint8_t>;

std::uint32_t ts_crc32(std::span<const std::uint8_t> bytes);

/// Reassembles the sections of one PID. A section may start anywhere in a packet, even right after
/// another one, and may span packets. Damaged and incomplete sections are dropped. No I/O, no
/// clock.
class TsSectionReader {
 public:
  /// Reads the payload of the next packet, and returns the sections that end in it. `start` is its
  /// payload_unit_start_indicator, `counter` its continuity_counter.
  std::vector<TsSection> read(std::span<const std::uint8_t> payload, bool start, int counter);

 private:
  void append(std::span<const std::uint8_t> bytes, std::vector<TsSection>& done);

  TsSection rest_;                     ///< the beginning of a section
  bool reading_ = false;               ///< whether a section may go on in the next packet
  std::optional<int> counter_;         ///< of the last packet
  std::vector<std::uint8_t> payload_;  ///< the same
};

/// The packets of one PID that carry a section, which begins with the first of them. They contain
/// nothing else. GStreamer 1.22 loses sections whose header spans packets, or that begin behind a
/// section which it has seen before. `counter` is the continuity counter of the next packet.
std::vector<TsPacket> ts_packets(int pid, std::span<const std::uint8_t> section, int& counter);

}  // namespace transcoder
