#pragma once

#include <cstdint>
#include <vector>

#include "transcoder/gst/ts_section.h"

/// Tables of transport streams, for tests.
namespace transcoder::test {

using Bytes = std::vector<std::uint8_t>;

inline std::uint8_t byte(std::size_t value) { return static_cast<std::uint8_t>(value); }

/// Fills in the section's length and CRC.
inline Bytes with_crc(Bytes section) {
  section[1] = byte(0xb0 | (section.size() + 1) >> 8);
  section[2] = byte(section.size() + 1);
  const auto crc = ts_crc32(section);
  for (const int shift : {24, 16, 8, 0}) section.push_back(byte(crc >> shift));
  return section;
}

/// A packet with this payload and, if that is shorter than the packet, stuffing behind it.
inline TsPacket packet(int pid, const Bytes& payload, bool start = true, int counter = 0) {
  TsPacket result;
  result.fill(0xff);
  const Bytes head{0x47, byte((start ? 0x40U : 0U) | static_cast<unsigned>(pid) >> 8),
                   byte(static_cast<unsigned>(pid)), byte(0x10U | static_cast<unsigned>(counter))};
  std::copy(head.begin(), head.end(), result.begin());
  std::copy(payload.begin(), payload.end(), result.begin() + 4);
  return result;
}

/// A packet with one section.
inline TsPacket section_packet(int pid, Bytes section) {
  section.insert(section.begin(), 0);  // pointer_field
  return packet(pid, section);
}

/// A section of `size` bytes.
inline Bytes section(std::size_t size, std::uint8_t content = 0) {
  Bytes result(size - 4, content);
  result[0] = 2;
  return with_crc(result);
}

}  // namespace transcoder::test
