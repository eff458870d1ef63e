#include "media/mpegts.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

namespace media {

namespace {

constexpr std::uint8_t kSyncByte = 0x47;
constexpr std::size_t kPidCount = 8192;
constexpr unsigned kPatPid = 0;
constexpr unsigned kSdtPid = 0x11;
constexpr unsigned kNullPid = 0x1fff;
constexpr std::uint8_t kHasPayload = 0x10;
constexpr std::uint8_t kHasAdaptationField = 0x20;
constexpr std::uint8_t kStartsUnit = 0x40;
constexpr std::uint8_t kDiscontinuityIndicator = 0x80;
constexpr std::size_t kTsHeaderSize = 4;
// PES packet header (2.4.3.6): start code, stream_id, PES_packet_length, flags, and the length of
// the rest.
constexpr std::size_t kPesLength = 4;
constexpr std::size_t kPesCounted = 6;  ///< bytes that PES_packet_length does not count
constexpr std::size_t kPesHeaderSize = 9;

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
  out[start + 3] = kHasAdaptationField | counter_before(packet);
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

std::span<const std::uint8_t> payload_of(std::span<const std::uint8_t> packet) {
  const std::size_t begin =
      kTsHeaderSize + (packet[3] & kHasAdaptationField ? 1u + packet[kTsHeaderSize] : 0u);
  return begin < kTsPacketSize ? packet.subspan(begin) : std::span<const std::uint8_t>{};
}

/// Calls fn(payload) for each TS packet of `frame`.
template <typename Fn>
void for_each_payload(std::span<const std::uint8_t> frame, Fn fn) {
  for (; frame.size() >= kTsPacketSize; frame = frame.subspan(kTsPacketSize)) {
    fn(payload_of(frame.first(kTsPacketSize)));
  }
}

/// Size of the header of the PES packet that `frame` begins with; 0 if it begins with none.
std::size_t pes_header(std::span<const std::uint8_t> frame) {
  if (frame.size() < kTsPacketSize) return 0;
  const auto pes = payload_of(frame.first(kTsPacketSize));
  if (pes.size() < kPesHeaderSize || pes[0] != 0 || pes[1] != 0 || pes[2] != 1) return 0;
  const std::size_t size = kPesHeaderSize + pes[kPesHeaderSize - 1];
  return size <= pes.size() ? size : 0;
}

/// Size of the first frame's PES packet with the data of all; 0 if a frame has none.
std::size_t joint_size(std::span<const std::span<const std::uint8_t>> frames) {
  std::size_t size = 0;
  for (const auto& frame : frames) {
    const auto header = pes_header(frame);
    if (header == 0) return 0;
    if (size > 0) size -= header;
    for_each_payload(frame, [&](auto payload) { size += payload.size(); });
  }
  return size;
}

std::vector<std::uint8_t> joint_pes(std::span<const std::span<const std::uint8_t>> frames,
                                    std::size_t size) {
  std::vector<std::uint8_t> joint;
  joint.reserve(size);
  for (const auto& frame : frames) {
    auto skip = joint.empty() ? 0 : pes_header(frame);
    for_each_payload(frame, [&](auto payload) {
      payload = payload.subspan(std::exchange(skip, 0));
      joint.insert(joint.end(), payload.begin(), payload.end());
    });
  }
  const std::size_t length = size - kPesCounted;
  joint[kPesLength] = static_cast<std::uint8_t>(length >> 8);
  joint[kPesLength + 1] = static_cast<std::uint8_t>(length);
  return joint;
}

/// Appends a TS packet of the PID of `like` with the begin of `payload`; returns the rest of that.
std::span<const std::uint8_t> append_payload(std::vector<std::uint8_t>& out,
                                             std::span<const std::uint8_t> like,
                                             std::span<const std::uint8_t> payload) {
  const auto part = payload.first(std::min(payload.size(), kTsPayloadSize));
  const bool begins = out.empty();
  std::array<std::uint8_t, kTsPacketSize> packet;
  packet.fill(0xff);  // adaptation field stuffing
  packet[0] = kSyncByte;
  packet[1] = static_cast<std::uint8_t>((like[1] & 0x1f) | (begins ? kStartsUnit : 0));
  packet[2] = like[2];
  packet[3] = kHasPayload;
  if (const std::size_t stuffing = kTsPayloadSize - part.size(); stuffing > 0) {
    packet[3] |= kHasAdaptationField;
    packet[4] = static_cast<std::uint8_t>(stuffing - 1);  // adaptation_field_length
    if (stuffing > 1) packet[5] = 0;                      // flags
  }
  std::ranges::copy(part, packet.end() - static_cast<std::ptrdiff_t>(part.size()));
  out.insert(out.end(), packet.begin(), packet.end());
  return payload.subspan(part.size());
}

}  // namespace

std::vector<std::uint8_t> TsAudio::take(std::span<const std::span<const std::uint8_t>> frames) {
  std::size_t size = 0;
  for (const auto& frame : frames) size += frame.size();
  const auto first = frames.front();
  const std::size_t joint = frames.size() > 1 ? joint_size(frames) : 0;
  const std::size_t packets = (joint + kTsPayloadSize - 1) / kTsPayloadSize;
  std::vector<std::uint8_t> out;
  if (joint > 0 && packets * kTsPacketSize < size) {
    out.reserve(packets * kTsPacketSize);
    const auto pes = joint_pes(frames, joint);
    std::span<const std::uint8_t> rest{pes};
    while (!rest.empty()) rest = append_payload(out, first, rest);
    if (!next_) next_ = first[3] & 0x0f;
  } else if (next_) {
    out.reserve(size);
    for (const auto& frame : frames) out.insert(out.end(), frame.begin(), frame.end());
  }
  for (std::size_t at = 3; at < out.size(); at += kTsPacketSize) {
    out[at] = static_cast<std::uint8_t>((out[at] & 0xf0) | *next_);
    if (out[at] & kHasPayload) next_ = (*next_ + 1) & 0x0f;
  }
  return out;
}

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
