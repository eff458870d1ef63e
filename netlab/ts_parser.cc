#include "netlab/ts_parser.h"

#include <algorithm>
#include <cmath>

namespace netlab {
namespace {

constexpr std::uint8_t kSyncByte = 0x47;
constexpr std::uint16_t kPatPid = 0;
constexpr std::uint16_t kNullPid = 0x1fff;
constexpr std::uint8_t kPatTable = 0;
constexpr std::uint8_t kPmtTable = 2;
constexpr std::uint8_t kStreamTypeMpeg2 = 0x02;
constexpr std::uint8_t kStreamTypeH264 = 0x1b;
constexpr std::uint8_t kStreamTypeAdts = 0x0f;
constexpr std::uint8_t kNalIdr = 5;
constexpr unsigned kIntraPicture = 1;
constexpr double kAudioTolerance = 0.002 * kTicksPerSecond;  // time stamps are rounded to a tick

std::uint16_t u16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

std::uint32_t crc32(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = ~0u;
  for (const std::uint8_t byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
  }
  return crc;
}

std::uint64_t parse_timestamp(std::span<const std::uint8_t> b) {
  return std::uint64_t{b[0] & 0x0eu} << 29 | std::uint64_t{b[1]} << 22 |
         std::uint64_t{b[2] & 0xfeu} << 14 | std::uint64_t{b[3]} << 7 | b[4] >> 1;
}

std::size_t adts_frame_size(std::span<const std::uint8_t> h) {
  return static_cast<std::size_t>((h[3] & 3) << 11 | h[4] << 3 | h[5] >> 5);
}

/// Whether the last eight bytes end with the start of an IDR slice's NAL unit.
bool ends_idr_start(std::uint64_t bytes) {
  return (bytes >> 8 & 0xffffff) == 1 && (bytes & 0x1f) == kNalIdr;
}

/// picture_start_code, 10 bits of temporal_reference, 3 of picture_coding_type (13818-2, 6.2.3).
bool ends_intra_picture_start(std::uint64_t bytes) {
  constexpr std::uint64_t kPictureStart = 0x00000100;
  return (bytes >> 16 & 0xffffffff) == kPictureStart && (bytes >> 3 & 7) == kIntraPicture;
}

double adts_frame_ticks(std::span<const std::uint8_t> header) {
  constexpr std::array<double, 16> kRates{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050,
                                          16000, 12000, 11025, 8000,  7350,  48000, 48000, 48000};
  return 1024 * kTicksPerSecond / kRates[header[2] >> 2 & 15];
}

}  // namespace

void TsParser::feed(Bytes bytes, base::Time arrival) {
  partial_.insert(partial_.end(), bytes.begin(), bytes.end());
  std::size_t at = 0;
  while (partial_.size() - at >= kPacketSize) {
    if (partial_[at] == kSyncByte) {
      synchronised_ = true;
      take_packet(Bytes{partial_}.subspan(at, kPacketSize), arrival);
      at += kPacketSize;
    } else {
      counters_.sync_losses += synchronised_;
      synchronised_ = false;
      ++at;
    }
  }
  partial_.erase(partial_.begin(), partial_.begin() + static_cast<std::ptrdiff_t>(at));
}

std::uint64_t TsParser::errors() const {
  const auto& c = counters_;
  return c.sync_losses + c.transport_errors + c.continuity_errors + c.section_errors +
         c.pes_errors + c.audio_errors + c.pcr_backwards;
}

void TsParser::take_packet(Bytes packet, base::Time arrival) {
  ++counters_.packets;
  const auto header = parse_header(packet);
  counters_.null_packets += header && header->pid == kNullPid;
  if (!header || header->pid == kNullPid || !check_continuity(*header, packet)) return;
  take_adaptation(*header);
  if (!header->has_payload) return;
  if (header->pid == kPatPid) take_pat(*header);
  if (header->pid == pmt_pid_) take_pmt(*header);
  if (header->pid == video_pid_) take_video(*header, arrival);
  if (header->pid == audio_pid_) take_audio(*header);
}

std::optional<TsParser::Header> TsParser::parse_header(Bytes packet) {
  if (packet[1] & 0x80) {
    ++counters_.transport_errors;
    return std::nullopt;
  }
  Header header{.pid = static_cast<std::uint16_t>(u16(packet, 1) & 0x1fff),
                .unit_start = (packet[1] & 0x40) != 0,
                .has_payload = (packet[3] & 0x10) != 0,
                .counter = static_cast<std::uint8_t>(packet[3] & 0x0f),
                .adaptation = {},
                .payload = packet.subspan(4)};
  if (packet[3] & 0x20) {
    const std::size_t length = packet[4];
    if (length + 5 > kPacketSize) {
      ++counters_.transport_errors;
      return std::nullopt;
    }
    header.adaptation = packet.subspan(5, length);
    header.payload = packet.subspan(5 + length);
  }
  return header;
}

/// 2.4.3.3: the counter grows with each packet that has a payload, and may jump where
/// discontinuity_indicator is set. A packet may be sent twice, but no more. False for a duplicate.
bool TsParser::check_continuity(const Header& header, Bytes packet) {
  Pid& pid = pids_[header.pid];
  const bool signalled = !header.adaptation.empty() && (header.adaptation[0] & 0x80);
  counters_.discontinuities_signalled += signalled;
  const bool duplicate = pid.counter == header.counter && header.has_payload && !pid.duplicate &&
                         std::ranges::equal(pid.last, packet);
  if (pid.counter && !signalled && !duplicate) {
    const int expected = (*pid.counter + (header.has_payload ? 1 : 0)) & 0x0f;
    counters_.continuity_errors += header.counter != expected;
  }
  pid.counter = header.counter;
  pid.duplicate = duplicate;
  if (header.has_payload) std::ranges::copy(packet, pid.last.begin());
  return !duplicate;
}

void TsParser::take_adaptation(const Header& header) {
  const Bytes field = header.adaptation;
  if (header.pid == audio_pid_ && !field.empty() && (field[0] & 0x80)) {
    audio_expected_.reset();  // the gap is signalled, so nothing was lost
    adts_.clear();
  }
  if (field.size() < 7 || !(field[0] & 0x10)) return;
  const std::uint64_t base = std::uint64_t{field[1]} << 25 | std::uint64_t{field[2]} << 17 |
                             std::uint64_t{field[3]} << 9 | std::uint64_t{field[4]} << 1 |
                             field[5] >> 7;
  const Ticks pcr = pcr_unwrapper_.unwrap(base);
  ++counters_.pcr_count;
  if (pcr_) {
    counters_.pcr_backwards += pcr < *pcr_;
    counters_.pcr_longest_gap = std::max(counters_.pcr_longest_gap, pcr - *pcr_);
  }
  pcr_ = pcr;
}

/// The section of `table` that begins in this packet, from its table id to before the CRC.
std::optional<TsParser::Bytes> TsParser::section(const Header& header, std::uint8_t table) {
  if (!header.unit_start || header.payload.empty()) return std::nullopt;
  const std::size_t begin = 1u + header.payload[0];
  if (begin + 8 <= header.payload.size()) {
    const Bytes bytes = header.payload.subspan(begin);
    const std::size_t size = 3u + (u16(bytes, 1) & 0x0fffu);
    if (bytes[0] == table && size >= 12 && size <= bytes.size() && crc32(bytes.first(size)) == 0) {
      return bytes.first(size - 4);
    }
  }
  ++counters_.section_errors;
  return std::nullopt;
}

void TsParser::take_pat(const Header& header) {
  const auto pat = section(header, kPatTable);
  if (!pat) return;
  for (std::size_t at = 8; at + 4 <= pat->size(); at += 4) {
    if (u16(*pat, at) != 0) pmt_pid_ = u16(*pat, at + 2) & 0x1fff;
  }
}

void TsParser::take_pmt(const Header& header) {
  const auto pmt = section(header, kPmtTable);
  if (!pmt || pmt->size() < 12) return;
  for (std::size_t at = 12u + (u16(*pmt, 10) & 0x0fffu); at + 5 <= pmt->size();) {
    const std::uint16_t pid = u16(*pmt, at + 1) & 0x1fff;
    const std::uint8_t type = (*pmt)[at];
    if (type == kStreamTypeH264 || type == kStreamTypeMpeg2) {
      video_pid_ = pid;
      mpeg2_ = type == kStreamTypeMpeg2;
    }
    if (type == kStreamTypeAdts) audio_pid_ = pid;
    at += 5u + (u16(*pmt, at + 3) & 0x0fffu);
  }
}

/// Reads a PES header into pes_pts_; returns the payload behind it.
std::optional<TsParser::Bytes> TsParser::take_pes_start(Bytes payload, TickUnwrapper& unwrapper) {
  const bool begins = payload.size() >= 9 && u16(payload, 0) == 0 && payload[2] == 1;
  const std::size_t header_size = begins ? 9u + payload[8] : 0;
  if (!begins || header_size > payload.size() || !(payload[7] & 0x80) || payload[8] < 5) {
    ++counters_.pes_errors;
    return std::nullopt;
  }
  pes_pts_ = unwrapper.unwrap(parse_timestamp(payload.subspan(9, 5)));
  counters_.pts_before_pcr += pcr_ && *pes_pts_ < *pcr_;
  return payload.subspan(header_size);
}

void TsParser::take_video(const Header& header, base::Time arrival) {
  Bytes payload = header.payload;
  if (header.unit_start) {
    end_picture();
    const auto rest = take_pes_start(payload, video_unwrapper_);
    if (!rest) return;
    const bool random_access = !header.adaptation.empty() && (header.adaptation[0] & 0x40);
    picture_ = Picture{.index = pictures_, .pts = *pes_pts_, .keyframe = random_access};
    window_ = ~0ull;
    payload = *rest;
  }
  if (!picture_) return;
  picture_->arrival = arrival;
  picture_->bytes += payload.size();
  scan_for_keyframe(payload);
}

/// A frame is known to be complete when the next one begins.
void TsParser::end_picture() {
  if (!picture_) return;
  ++pictures_;
  on_picture_(*picture_);
  picture_.reset();
}

void TsParser::scan_for_keyframe(Bytes payload) {
  for (const std::uint8_t byte : payload) {
    window_ = window_ << 8 | byte;
    picture_->keyframe |= mpeg2_ ? ends_intra_picture_start(window_) : ends_idr_start(window_);
  }
}

void TsParser::take_audio(const Header& header) {
  Bytes payload = header.payload;
  if (header.unit_start) {
    const auto rest = take_pes_start(payload, audio_unwrapper_);
    if (!rest) return;
    if (!adts_.empty()) ++counters_.audio_errors;  // symcast's audio frames never span PES packets
    adts_.clear();
    check_audio_time(*pes_pts_);
    payload = *rest;
  }
  adts_.insert(adts_.end(), payload.begin(), payload.end());
  count_adts_frames();
}

void TsParser::count_adts_frames() {
  while (adts_.size() >= 7) {
    const std::size_t size = adts_frame_size(adts_);
    if (adts_[0] != 0xff || (adts_[1] & 0xf0) != 0xf0 || size < 7) {
      ++counters_.audio_errors;
      adts_.clear();
      return;
    }
    if (adts_.size() < size) return;
    ++counters_.audio_frames;
    if (audio_expected_) *audio_expected_ += adts_frame_ticks(adts_);
    adts_.erase(adts_.begin(), adts_.begin() + static_cast<std::ptrdiff_t>(size));
  }
}

void TsParser::check_audio_time(Ticks pts) {
  const double now = static_cast<double>(pts);
  if (audio_expected_ && std::abs(now - *audio_expected_) > kAudioTolerance) {
    ++counters_.audio_errors;
  }
  audio_expected_ = now;
}

}  // namespace netlab
