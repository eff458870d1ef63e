#include "transcoder/gst/ts_repair.h"

#include <algorithm>

#include "transcoder/gst/pes_times.h"

namespace transcoder {

namespace {

using Packet = std::span<std::uint8_t, kTsPacketBytes>;
using Payload = std::span<std::uint8_t>;

constexpr std::uint64_t kTicksPerSecond = 90'000;
constexpr std::uint64_t kAllTicks = std::uint64_t{1} << 33;

/// PCRs are at most 0.1 s apart (ISO/IEC 13818-1, 2.7.2), and one may get lost, or ten.
constexpr std::uint64_t kMaxClockStep = kTicksPerSecond;
/// Muxers put up to half a second of audio into a PES packet, and one may get lost.
constexpr std::uint64_t kMaxAudioStep = kTicksPerSecond;
/// A PTS is at most 1 s after the PCR of its arrival, and 10 s for still pictures (2.4.2.6).
constexpr std::uint64_t kMaxLead = 10 * kTicksPerSecond;

/// The lead of a PTS over the PCR of its packet differs by the order of pictures, and is much the
/// same when an encoder restarts.
constexpr std::uint64_t kMaxLeadChange = kTicksPerSecond / 4;

/// Audio is sent up to a second before its time (2.4.2.6), so this shows which clock it has.
constexpr std::uint64_t kMaxAudioLead = kTicksPerSecond * 3 / 2;

/// A PID carries audio once it has had this many intact headers: damage may pretend one.
constexpr int kKnownHeaders = 2;

// Bytes and bits of headers: ISO/IEC 13818-1, 2.4.3.
constexpr std::size_t kPesHeader = 9;
constexpr std::uint8_t kStart = 0x40;  // payload_unit_start_indicator
constexpr std::uint8_t kError = 0x80;  // transport_error_indicator
constexpr std::uint8_t kScrambled = 0xc0;
constexpr std::uint8_t kDiscontinuity = 0x80;
constexpr std::uint8_t kHasPcr = 0x10;
constexpr std::uint8_t kHasPts = 0x80;

std::uint64_t after(std::uint64_t ticks, std::uint64_t earlier) {
  return (ticks - earlier) % kAllTicks;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return std::min(after(a, b), after(b, a));
}

bool is_audio(int stream_id) { return (stream_id & 0xe0) == 0xc0 || stream_id == 0xbd; }

bool has_start_code(std::span<const std::uint8_t> pes) {
  return pes.size() >= kPesHeader && pes[0] == 0 && pes[1] == 0 && pes[2] == 1;
}

bool has_pts(std::span<const std::uint8_t> pes) {
  return pes.size() >= kPesHeader + 5 && (pes[7] & kHasPts) != 0 && (pes[9] & 0xe1) == 0x21 &&
         (pes[11] & 1) != 0 && (pes[13] & 1) != 0;
}

Payload payload_of(Packet packet) {
  const auto size = ts_payload(packet).size();
  return packet.last(size);
}

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {  // FNV-1a
  std::uint32_t sum = 2166136261;
  for (const auto byte : bytes) sum = (sum ^ byte) * 16777619;
  return sum;
}

}  // namespace

bool TsRepair::Times::keep(std::uint64_t ticks, std::uint64_t most) {
  const bool fits = !last_ || after(ticks, *last_) <= most;
  if (!fits && !removed_) {
    removed_ = true;
    return false;
  }
  accept(ticks);
  return true;
}

void TsRepair::Times::accept(std::uint64_t ticks) {
  last_ = ticks;
  removed_ = false;
}

void TsRepair::repair(std::span<std::uint8_t, kTsPacketBytes> packet) {
  if ((packet[1] & kError) != 0 || (packet[3] & kScrambled) != 0) return;
  repair_clock(packet);
  const auto payload = payload_of(packet);
  if (payload.empty()) return;
  const bool starts = (packet[1] & kStart) != 0;
  const int pid = ts_pid(packet);
  if (starts && has_start_code(payload) && is_audio(payload[3])) {
    audio_.try_emplace(pid, Audio{.stream_id = payload[3]});
  }
  const auto found = audio_.find(pid);
  if (found == audio_.end()) return;
  auto& audio = found->second;
  if (!renumber(audio, packet)) return hide_ts_packet(packet);
  repair_start(audio, packet, payload);
}

void TsRepair::restart_times() {
  clocks_.clear();
  clock_.reset();
  for (auto& [pid, audio] : audio_) audio.times = {};
}

/// Returns false if the packet repeats the last one.
bool TsRepair::renumber(Audio& audio, std::span<std::uint8_t, kTsPacketBytes> packet) {
  const int counter = packet[3] & 0xf;
  const auto sum = checksum(packet.subspan(4));
  const bool repeated = audio.received == counter && audio.checksum == sum;
  if (repeated) return false;
  audio.sent = audio.received ? (audio.sent + 1) & 0xf : counter & 0xf;
  audio.received = counter;
  audio.checksum = sum;
  packet[3] = static_cast<std::uint8_t>((packet[3] & 0xf0) | audio.sent);
  return true;
}

void TsRepair::repair_start(Audio& audio, std::span<std::uint8_t, kTsPacketBytes> packet,
                            std::span<std::uint8_t> payload) {
  const bool intact =
      has_start_code(payload) && payload[3] == audio.stream_id && (payload[6] & 0xc0) == 0x80;
  const bool starts = (packet[1] & kStart) != 0;
  const bool complete = audio.rest && *audio.rest <= 0;
  if (intact && (starts || complete)) {
    audio.known = std::min(audio.known + 1, kKnownHeaders);
    packet[1] |= kStart;
    return read_header(audio, payload);
  }
  if (audio.known < kKnownHeaders || payload.size() < kPesHeader) {
    audio.rest.reset();
    return;
  }
  const auto size = static_cast<std::int64_t>(payload.size());
  if (!starts && !complete) {
    if (audio.rest) *audio.rest -= size;
    return;
  }
  if (starts && audio.rest && *audio.rest >= size) {  // no header, but a bit that is wrong
    packet[1] = static_cast<std::uint8_t>(packet[1] & ~kStart);
    *audio.rest -= size;
    return;
  }
  const auto id = static_cast<std::uint8_t>(audio.stream_id);
  const std::uint8_t header[kPesHeader] = {0, 0, 1, id, 0, 0, 0x80, 0, 0};
  std::ranges::copy(header, payload.begin());
  packet[1] |= kStart;
  audio.rest.reset();
}

void TsRepair::read_header(Audio& audio, std::span<std::uint8_t> pes) {
  const std::int64_t size = pes[4] << 8 | pes[5];
  audio.rest.reset();
  if (size > 0) audio.rest = size + 6 - static_cast<std::int64_t>(pes.size());
  if ((pes[7] & kHasPts) != 0 && !(has_pts(pes) && keep_time(audio.times, pes))) {
    pes[7] &= 0x3f;  // neither PTS nor DTS; their bytes become stuffing
  }
}

/// Keeps a time that jumps if the clock has jumped there before.
bool TsRepair::keep_time(Times& times, std::span<const std::uint8_t> pes) const {
  const auto pts = pes_time(pes.subspan(kPesHeader));
  const auto leads = [&](std::uint64_t time) { return after(time, *clock_) < kMaxAudioLead; };
  const bool explained = clock_ && times.last() && leads(pts) && !leads(*times.last());
  if (!explained) return times.keep(pts, kMaxAudioStep);
  times.accept(pts);
  return true;
}

void TsRepair::repair_clock(std::span<std::uint8_t, kTsPacketBytes> packet) {
  const auto pcr = pcr_base(packet);
  if (!pcr) return;
  auto& clock = clocks_[ts_pid(packet)];
  const bool announced = (packet[5] & kDiscontinuity) != 0;
  const auto pes = payload_of(packet);
  const bool timed = (packet[1] & kStart) != 0 && has_start_code(pes) && has_pts(pes);
  const auto pts = timed ? pes_time(pes.subspan(kPesHeader)) : 0;
  if (announced || (timed && clock.explains(*pcr, pts))) {
    clock.times.accept(*pcr);
  } else if (!clock.times.keep(*pcr, kMaxClockStep)) {
    packet[5] = static_cast<std::uint8_t>(packet[5] & ~kHasPcr);
    return;
  }
  if (timed) clock.lead = after(pts, *pcr);
  clock_ = *pcr;
}

/// The PTS fits only the new PCR, or as well as the last one fitted its own.
bool TsRepair::Clock::explains(std::uint64_t pcr, std::uint64_t pts) const {
  const auto now = after(pts, pcr);
  if (!times.last() || now >= kMaxLead) return false;
  return after(pts, *times.last()) >= kMaxLead || (lead && distance(now, *lead) < kMaxLeadChange);
}

}  // namespace transcoder
