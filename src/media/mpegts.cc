#include "media/mpegts.h"

#include <algorithm>
#include <bitset>

namespace media {

namespace {

constexpr std::uint8_t kSyncByte = 0x47;
constexpr std::size_t kPidCount = 8192;
constexpr unsigned kNullPid = 0x1fff;
constexpr std::uint8_t kAdaptationOnly = 0x20;
constexpr std::uint8_t kHasPayload = 0x10;
constexpr std::uint8_t kDiscontinuityIndicator = 0x80;

/// The counter of an adaptation-only packet is that of the payload packet before it.
std::uint8_t counter_before(std::span<const std::uint8_t> packet) {
  const std::uint8_t counter = packet[3] & 0x0f;
  return packet[3] & kHasPayload ? (counter + 15) & 0x0f : counter;
}

void append_discontinuity(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> packet) {
  const std::size_t start = out.size();
  out.resize(start + kTsPacketSize, 0xff);  // adaptation field stuffing
  out[start] = kSyncByte;
  out[start + 1] = packet[1] & 0x1f;
  out[start + 2] = packet[2];
  out[start + 3] = kAdaptationOnly | counter_before(packet);
  out[start + 4] = kTsPacketSize - 5;  // adaptation_field_length
  out[start + 5] = kDiscontinuityIndicator;
}

}  // namespace

std::vector<std::uint8_t> ts_splice(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> out;
  std::bitset<kPidCount> seen;
  for (; bytes.size() >= kTsPacketSize; bytes = bytes.subspan(kTsPacketSize)) {
    const unsigned pid = (bytes[1] & 0x1fu) << 8 | bytes[2];
    if (pid == kNullPid || seen.test(pid)) continue;
    seen.set(pid);
    append_discontinuity(out, bytes.first(kTsPacketSize));
  }
  return out;
}

}  // namespace media
