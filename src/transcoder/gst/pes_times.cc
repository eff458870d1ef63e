#include "transcoder/gst/pes_times.h"

namespace transcoder {

namespace {

using WritableBytes = std::span<std::uint8_t>;

// ISO/IEC 13818-1, 2.4.3.6.
constexpr std::size_t kTimesBegin = 9;
constexpr std::size_t kTimeBytes = 5;
constexpr std::uint8_t kPtsFlag = 0x80;
constexpr std::uint8_t kDtsFlag = 0x40;

/// Whether headers of this stream_id have flags: private_stream_1, audio, video and what follows
/// 0xf9. Others are maps, padding, ECM, EMM and the like.
bool may_have_times(std::uint8_t stream_id) {
  return stream_id == 0xbd || (stream_id >= 0xc0 && stream_id < 0xf0) ||
         (stream_id >= 0xf9 && stream_id < 0xff);
}

/// The time at this index in the header, if its flag is set.
WritableBytes time_bytes(std::span<std::uint8_t, kTsPacketBytes> packet, std::uint8_t flag,
                         std::size_t index) {
  if ((packet[1] & 0x40) == 0) return {};
  const auto pes = WritableBytes{packet}.last(ts_payload(packet).size());
  const auto at = kTimesBegin + index * kTimeBytes;
  const bool has_time = pes.size() >= at + kTimeBytes && pes[0] == 0 && pes[1] == 0 &&
                        pes[2] == 1 && may_have_times(pes[3]) && (pes[7] & flag) != 0;
  return has_time ? pes.subspan(at, kTimeBytes) : WritableBytes{};
}

}  // namespace

std::uint64_t pes_time(std::span<const std::uint8_t> bytes) {
  return (std::uint64_t{bytes[0]} >> 1 & 7) << 30 | std::uint64_t{bytes[1]} << 22 |
         std::uint64_t{bytes[2]} >> 1 << 15 | std::uint64_t{bytes[3]} << 7 | bytes[4] >> 1;
}

void set_pes_time(std::span<std::uint8_t> bytes, std::uint64_t ticks) {
  bytes[0] = static_cast<std::uint8_t>((bytes[0] & 0xf1) | (ticks >> 30 & 7) << 1);
  bytes[1] = static_cast<std::uint8_t>(ticks >> 22);
  bytes[2] = static_cast<std::uint8_t>((bytes[2] & 1) | (ticks >> 15 & 0x7f) << 1);
  bytes[3] = static_cast<std::uint8_t>(ticks >> 7);
  bytes[4] = static_cast<std::uint8_t>((bytes[4] & 1) | (ticks & 0x7f) << 1);
}

std::span<std::uint8_t> pts_bytes(std::span<std::uint8_t, kTsPacketBytes> packet) {
  return time_bytes(packet, kPtsFlag, 0);
}

std::span<std::uint8_t> dts_bytes(std::span<std::uint8_t, kTsPacketBytes> packet) {
  return time_bytes(packet, kDtsFlag, 1);
}

std::optional<std::uint64_t> pcr_base(std::span<const std::uint8_t, kTsPacketBytes> packet) {
  const bool has_pcr = (packet[3] & 0x20) != 0 && packet[4] >= 7 && (packet[5] & 0x10) != 0;
  if (!has_pcr) return std::nullopt;
  return std::uint64_t{packet[6]} << 25 | std::uint64_t{packet[7]} << 17 |
         std::uint64_t{packet[8]} << 9 | std::uint64_t{packet[9]} << 1 | packet[10] >> 7;
}

void set_pcr_base(std::span<std::uint8_t, kTsPacketBytes> packet, std::uint64_t ticks) {
  packet[6] = static_cast<std::uint8_t>(ticks >> 25);
  packet[7] = static_cast<std::uint8_t>(ticks >> 17);
  packet[8] = static_cast<std::uint8_t>(ticks >> 9);
  packet[9] = static_cast<std::uint8_t>(ticks >> 1);
  packet[10] = static_cast<std::uint8_t>((packet[10] & 0x7f) | (ticks & 1) << 7);
}

}  // namespace transcoder
