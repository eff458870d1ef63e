#include "media/mpegts.h"

#include <algorithm>
#include <array>
#include <bitset>

namespace media {

namespace {

constexpr std::uint8_t kSyncByte = 0x47;
constexpr std::size_t kPidCount = 8192;
constexpr unsigned kPatPid = 0;
constexpr unsigned kSdtPid = 0x11;
constexpr unsigned kNullPid = 0x1fff;
constexpr std::uint8_t kAdaptationFieldOnly = 0x20;
constexpr std::uint8_t kHasPayload = 0x10;
constexpr std::uint8_t kDiscontinuityIndicator = 0x80;

/// The counter for an adaptation-only packet sent before `packet`: a packet without payload repeats
/// the counter of the payload packet before it.
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
  out[start + 3] = kAdaptationFieldOnly | counter_before(packet);
  out[start + 4] = kTsPacketSize - 5;  // adaptation_field_length
  out[start + 5] = kDiscontinuityIndicator;
}

unsigned pid_of(std::span<const std::uint8_t> packet) {
  return (packet[1] & 0x1fu) << 8 | packet[2];
}

/// The PMT's PID, from a PAT of one packet and one programme (2.4.4.3).
unsigned program_map_pid(std::span<const std::uint8_t> pat) {
  constexpr std::size_t kFirstProgram = 4 + 1 + 8;  // packet header, pointer_field, section header
  return (pat[kFirstProgram + 2] & 0x1fu) << 8 | pat[kFirstProgram + 3];
}

}  // namespace

std::vector<std::uint8_t> TsTables::take(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> out;
  unsigned pmt = kPatPid;
  for (; bytes.size() >= kTsPacketSize; bytes = bytes.subspan(kTsPacketSize)) {
    const auto packet = bytes.first(kTsPacketSize);
    const unsigned pid = pid_of(packet);
    if (pid == kPatPid) pmt = program_map_pid(packet);
    if (pid != kPatPid && pid != kSdtPid && pid != pmt) break;
    auto counter = std::ranges::find(counters_, pid, &Counter::pid);
    if (counter == counters_.end()) {
      counter = counters_.insert(counter, {pid, static_cast<std::uint8_t>(packet[3] & 0x0f)});
    }
    out.insert(out.end(), packet.begin(), packet.end());
    auto& control = out[out.size() - kTsPacketSize + 3];
    control = static_cast<std::uint8_t>((control & 0xf0) | counter->next);
    counter->next = (counter->next + 1) & 0x0f;
  }
  return out;
}

std::vector<std::uint8_t> ts_splice(std::span<const std::uint8_t> bytes) {
  std::vector<std::uint8_t> out;
  std::bitset<kPidCount> seen;
  for (; bytes.size() >= kTsPacketSize; bytes = bytes.subspan(kTsPacketSize)) {
    const unsigned pid = pid_of(bytes);
    if (pid == kNullPid || seen.test(pid)) continue;
    seen.set(pid);
    append_discontinuity(out, bytes.first(kTsPacketSize));
  }
  return out;
}

std::span<const std::uint8_t> ts_padding(std::size_t bytes) {
  static const auto kPackets = [] {
    std::array<std::uint8_t, kMaxPaddingBytes> packets;
    packets.fill(0xff);
    for (std::size_t start = 0; start < packets.size(); start += kTsPacketSize) {
      packets[start] = kSyncByte;
      packets[start + 1] = kNullPid >> 8;
      packets[start + 2] = kNullPid & 0xff;
      packets[start + 3] = kHasPayload;
    }
    return packets;
  }();
  return std::span{kPackets}.first(std::min(bytes, kMaxPaddingBytes) / kTsPacketSize *
                                   kTsPacketSize);
}

}  // namespace media
