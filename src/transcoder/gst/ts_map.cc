#include "transcoder/gst/ts_map.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace transcoder {

namespace {

using Bytes = std::span<const std::uint8_t>;

/// Up to the descriptors of the programme.
constexpr std::size_t kMapHeader = 12;
constexpr std::size_t kMapCrcBytes = 4;

// Descriptor tags: ISO/IEC 13818-1, 2.6, and ETSI EN 300 468, 6.1.
constexpr int kRegistration = 0x05;
constexpr int kLanguage = 0x0a;
constexpr int kExtension = 0x7f;
constexpr int kSupplementaryAudio = 0x06;

constexpr int kPrivateData = 0x06;  // stream_type: descriptors say what it is

/// Calls visit(tag, body) for each descriptor.
template <typename Visit>
void for_each_descriptor(Bytes bytes, Visit visit) {
  while (bytes.size() >= 2 && bytes.size() >= 2U + bytes[1]) {
    visit(bytes[0], bytes.subspan(2, bytes[1]));
    bytes = bytes.subspan(2U + bytes[1]);
  }
}

bool is_video_registration(Bytes body) {
  if (body.size() < 4) return false;
  const std::string_view id{reinterpret_cast<const char*>(body.data()), 4};
  return id == "HEVC" || id == "AV01" || id == "VC-1" || id == "drac";
}

/// By stream_type (ISO/IEC 13818-1, table 2-34); private ones say it in a descriptor.
bool carries_pictures(int type, Bytes descriptors) {
  switch (type) {
    case 0x01:
    case 0x02:
    case 0x10:
    case 0x1b:
    case 0x20:
    case 0x21:
    case 0x24:
    case 0x27:
    case 0x33:
    case 0x42:
    case 0xd1:
    case 0xea:
      return true;
    default:
      break;
  }
  bool result = false;
  for_each_descriptor(descriptors, [&](int tag, Bytes body) {
    result =
        result || (type == kPrivateData && tag == kRegistration && is_video_registration(body));
  });
  return result;
}

/// MPEG audio, AAC, and what tsdemux takes for audio of ATSC, DVB, and disks.
bool may_carry_audio(int type) {
  return type == 0x03 || type == 0x04 || type == kPrivateData || type == 0x0f || type == 0x11 ||
         type == 0x1c || type == 0x2d || type == 0x2e || (type >= 0x80 && type <= 0x8a) ||
         type == 0xa1 || type == 0xa2;
}

bool is_for_visually_impaired(Bytes descriptors) {
  bool result = false;
  for_each_descriptor(descriptors, [&](int tag, Bytes body) {
    if (tag == kLanguage && body.size() >= 4) result = result || body[3] == 3;
    if (tag == kExtension && body.size() >= 2 && body[0] == kSupplementaryAudio) {
      result = result || (body[1] >> 2 & 0x1f) == 1;
    }
  });
  return result;
}

/// Where the first stream begins; the end of the streams if there is none.
std::size_t streams_begin(const TsSection& map) {
  const auto end = map.size() - kMapCrcBytes;
  if (end < kMapHeader) return end;
  return std::min(end, kMapHeader + static_cast<std::size_t>(ts_number(map, 10, 0xfff)));
}

}  // namespace

int ts_number(Bytes bytes, std::size_t at, int mask) {
  return (bytes[at] << 8 | bytes[at + 1]) & mask;
}

std::vector<TsStream> ts_streams(const TsSection& map) {
  std::vector<TsStream> result;
  const auto begin = streams_begin(map);
  auto bytes = Bytes{map}.first(map.size() - kMapCrcBytes).subspan(begin);
  while (bytes.size() >= 5) {
    const auto size =
        std::min<std::size_t>(static_cast<unsigned>(ts_number(bytes, 3, 0xfff)), bytes.size() - 5);
    const auto descriptors = bytes.subspan(5, size);
    const int type = bytes[0];
    const bool pictures = carries_pictures(type, descriptors);
    result.push_back({.pid = ts_number(bytes, 1, 0x1fff),
                      .pictures = pictures,
                      .audio = !pictures && may_carry_audio(type),
                      .impaired = is_for_visually_impaired(descriptors),
                      .entry = bytes.first(5 + size)});
    bytes = bytes.subspan(5 + size);
  }
  return result;
}

int ts_clock_pid(const TsSection& map) {
  return map.size() < kMapHeader ? -1 : ts_number(map, 8, 0x1fff);
}

TsSection with_streams(const TsSection& map, const std::set<int>& pids) {
  TsSection result(map.begin(), map.begin() + static_cast<std::ptrdiff_t>(streams_begin(map)));
  for (const auto& stream : ts_streams(map)) {
    if (!pids.contains(stream.pid)) continue;
    result.insert(result.end(), stream.entry.begin(), stream.entry.end());
  }
  const auto length = result.size() + kMapCrcBytes - 3;
  result[1] = static_cast<std::uint8_t>((result[1] & 0xf0) | length >> 8);
  result[2] = static_cast<std::uint8_t>(length);
  result.resize(result.size() + kMapCrcBytes);
  const int version = ts_version(result);
  return with_version(std::move(result), version);
}

int ts_version(const TsSection& section) { return section[5] >> 1 & 0x1f; }

TsSection with_version(TsSection section, int version) {
  section[5] = static_cast<std::uint8_t>((section[5] & 0xc1) | (version & 0x1f) << 1);
  const auto end = section.size() - kMapCrcBytes;
  const auto crc = ts_crc32(std::span{section}.first(end));
  for (std::size_t i = 0; i < kMapCrcBytes; ++i) {
    section[end + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
  }
  return section;
}

}  // namespace transcoder
