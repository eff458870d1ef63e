#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "transcoder/gst/datagram.h"
#include "transcoder/gst/fragment_edits.h"
#include "transcoder/gst/fragment_ts.h"
#include "transcoder/gst/hls_nesting.h"
#include "transcoder/gst/hls_playlist.h"
#include "transcoder/gst/open_movie.h"
#include "transcoder/gst/picture_header.h"
#include "transcoder/gst/reorder_delay.h"
#include "transcoder/gst/rtcp_name.h"
#include "transcoder/gst/rtp_order.h"
#include "transcoder/gst/ts_repair.h"
#include "transcoder/gst/ts_scanner.h"
#include "transcoder/gst/ts_section.h"

// The bytes of a source that are read or edited on their way to GStreamer. The first byte chooses
// the reader.

namespace {

using Bytes = std::vector<std::uint8_t>;
using Packet = std::array<std::uint8_t, transcoder::kTsPacketBytes>;

// More than any time that the readers compute, were it right.
constexpr base::Duration kCentury = std::chrono::hours{100 * 366 * 24};

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

/// Whole packets of a transport stream, of which all have their sync byte.
std::vector<Packet> packets_of(std::string_view text) {
  std::vector<Packet> packets;
  for (; text.size() >= transcoder::kTsPacketBytes; text.remove_prefix(packets[0].size())) {
    auto& packet = packets.emplace_back();
    std::ranges::copy(text.substr(0, packet.size()), packet.begin());
    packet[0] = transcoder::kTsSyncByte;
  }
  return packets;
}

/// Counts the sections of one PID that are whole and right, and those that begin.
class Sections {
 public:
  explicit Sections(int pid) : pid_{pid} {}

  void add(const Packet& packet) {
    if (transcoder::ts_pid(packet) != pid_ || (packet[3] & 0x10) == 0) return;
    const bool start = (packet[1] & 0x40) != 0;
    begun_ += start;
    for (const auto& section :
         reader_.read(transcoder::ts_payload(packet), start, packet[3] & 0x0f)) {
      CHECK(transcoder::ts_crc32(section) == 0, section.size());
      ++whole_;
    }
  }

  int begun() const { return begun_; }
  int whole() const { return whole_; }

 private:
  const int pid_;
  transcoder::TsSectionReader reader_;
  int begun_ = 0;
  int whole_ = 0;
};

/// A demuxer gets only tables that are whole.
void check_scanner(std::string_view text, int program) {
  transcoder::TsScanner scanner{program};
  transcoder::TsRepair repair;
  Sections programs{0};
  const auto out = [&](const Packet& packet) {
    CHECK(packet[0] == transcoder::kTsSyncByte, packet[0]);
    programs.add(packet);
  };
  for (auto packet : packets_of(text)) {
    repair.repair(packet);
    scanner.scan(packet);
    out(packet);
    int tables = 0;
    while (const auto table = scanner.take_table()) {
      CHECK(++tables <= 16, tables);
      out(*table);
    }
  }
  CHECK(programs.whole() == programs.begun(), programs.whole(), programs.begun());
}

/// A section that is written is read as the same.
void check_sections(std::string_view text) {
  transcoder::TsSectionReader reader;
  for (const auto& packet : packets_of(text)) {
    const bool start = (packet[1] & 0x40) != 0;
    for (const auto& section :
         reader.read(transcoder::ts_payload(packet), start, packet[3] & 0x0f)) {
      CHECK(section.size() <= 1024 + 3 && transcoder::ts_crc32(section) == 0, section.size());
      transcoder::TsSectionReader again;
      std::vector<transcoder::TsSection> read;
      int counter = packet[3] & 0x0f;
      for (const auto& written : transcoder::ts_packets(17, section, counter)) {
        const bool begins = (written[1] & 0x40) != 0;
        for (auto& one : again.read(transcoder::ts_payload(written), begins, written[3] & 0x0f)) {
          read.push_back(std::move(one));
        }
      }
      CHECK(read.size() == 1 && read[0] == section, read.size(), section.size());
    }
  }
}

/// Only times change, and the result is on the timeline.
void check_fragment_ts(std::string_view text) {
  transcoder::FragmentTs edits{std::make_shared<transcoder::FragmentClock>()};
  for (auto packet : packets_of(text)) {
    const auto before = packet;
    if (packet[4] == 0xff) edits.restart(std::chrono::milliseconds{10 * packet[5]});
    if (const auto time = edits.edit(packet)) {
      CHECK(*time > -kCentury && *time < kCentury, time->count());
    }
    CHECK(std::ranges::equal(std::span{before}.first<4>(), std::span{packet}.first<4>()));
  }
}

void check_fragment_edits(std::string_view text) {
  const auto bytes = bytes_of(text);
  transcoder::FragmentEdits whole;
  whole.push(bytes);
  transcoder::FragmentEdits cut;
  for (const auto piece : fuzz::cut(text)) cut.push(bytes_of(piece));
  for (int track = 0; track < 4; ++track) {
    const auto shift = whole.shift(track);
    CHECK(shift == cut.shift(track), track, shift.count(), cut.shift(track).count());
    CHECK(shift >= -kCentury && shift <= kCentury, track, shift.count());
  }
}

void check_movie(std::string_view text) {
  auto bytes = bytes_of(text);
  transcoder::remove_durations(bytes);
  const auto once = bytes;
  transcoder::remove_durations(bytes);
  CHECK(bytes == once);
}

/// The numbers of a playlist, as hlsdemux reads them.
struct Numbers {
  std::int64_t first = 0;
  std::int64_t last = 0;

  static std::optional<Numbers> of(std::string_view text) {
    constexpr std::string_view kTag = "#EXT-X-MEDIA-SEQUENCE:";
    const auto at = text.find(kTag);
    if (at == text.npos) return {};
    Numbers numbers;
    const auto digits = text.substr(at + kTag.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), numbers.first);
    numbers.last = numbers.first - 1;
    while (!text.empty()) {
      auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      if (line.ends_with('\r')) line.remove_suffix(1);
      numbers.last += !line.empty() && line.front() != '#';
    }
    return numbers;
  }
};

/// Playlists of one URL, each up to a zero byte.
void check_playlists(std::string_view text) {
  transcoder::HlsPlaylist playlist;
  transcoder::HlsNesting nesting;
  std::optional<Numbers> before;
  while (!text.empty()) {
    const auto one = text.substr(0, text.find('\0'));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    const auto refused = nesting.check("http://host/a/live.m3u8", one);
    CHECK(refused.empty() || one.find("#EXT-X-STREAM-INF") != one.npos, one, refused);
    const auto restarts = playlist.restarts();
    const auto edited = playlist.edit(one);
    CHECK(edited.size() <= 4 * one.size() + 64, one.size(), edited.size());
    if (edited == one) {  // perhaps left alone: the numbers begin again
      before.reset();
      continue;
    }
    const auto numbers = Numbers::of(edited);
    CHECK(numbers && numbers->first >= 0, edited);
    CHECK(numbers->last < std::int64_t{1} << 54, numbers->last);
    if (before && playlist.restarts() > restarts) {
      CHECK(numbers->first > before->last, one, edited, before->last);
    }
    CHECK(!before || numbers->last >= before->first, one, edited, before->first);
    before = numbers;
  }
}

/// Datagrams: their length in a byte, and their bytes.
void check_datagrams(std::string_view text) {
  transcoder::RtpOrder order;
  std::size_t received = 0;
  std::size_t delivered = 0;
  while (!text.empty()) {
    const std::size_t size = static_cast<std::uint8_t>(text.front());
    const auto bytes = bytes_of(text.substr(1, size));
    text.remove_prefix(std::min(text.size(), 1 + size));
    const auto datagram = transcoder::inspect(bytes);
    CHECK(datagram.packets >= 0 && datagram.packets <= 2, datagram.packets);
    CHECK(!transcoder::what_is(datagram).empty(), datagram.kind);
    const auto packet = transcoder::parse_rtp(bytes);
    if (!packet) continue;
    const auto* const begin = bytes.data();
    CHECK(packet->payload.data() >= begin);
    CHECK(packet->payload.data() + packet->payload.size() <= begin + bytes.size());
    received += packet->payload.size();
    delivered += order.push(*packet).size();
    CHECK(delivered <= received, received, delivered);
  }
}

void check_report(std::string_view text) {
  const auto bytes = bytes_of(text);
  const auto named = transcoder::with_name(bytes);
  if (!named) return;
  CHECK(named->size() > bytes.size() && named->size() % 4 == bytes.size() % 4, named->size());
  CHECK(std::ranges::equal(std::span{*named}.first(bytes.size()), bytes));
  CHECK(!transcoder::with_name(*named));
}

void check_delays(std::string_view text) {
  const auto bytes = bytes_of(text);
  const auto mpeg4 = transcoder::mpeg4_reorder_delay(bytes);
  CHECK(!mpeg4 || *mpeg4 == 0 || *mpeg4 == 1, *mpeg4);
  const auto h264 = transcoder::h264_reorder_delay(bytes);
  CHECK(!h264 || (*h264 >= 0 && *h264 <= 16), *h264);
}

/// Sizes are those of the formats' fields.
void check_headers(std::string_view text) {
  const auto bytes = bytes_of(text);
  for (const auto* format : {"image/jpeg", "image/png", "video/x-vp8", "video/x-theora"}) {
    const auto size = transcoder::size_in_header(format, bytes);
    CHECK(!size || (size->width >= 0 && size->height >= 0), size->width, size->height);
  }
}

}  // namespace

FUZZ_TARGET(source_bytes) {
  const auto reader = input.take<std::uint8_t>();
  const auto bytes = input.rest();
  if (reader == 0xff) return check_headers(bytes);
  switch (reader % 9) {
    case 0:
      return check_scanner(bytes, reader / 9 % 3);
    case 1:
      return check_sections(bytes);
    case 2:
      return check_fragment_ts(bytes);
    case 3:
      return check_fragment_edits(bytes);
    case 4:
      return check_movie(bytes);
    case 5:
      return check_playlists(bytes);
    case 6:
      return check_datagrams(bytes);
    case 7:
      return check_report(bytes);
    default:
      return check_delays(bytes);
  }
}
