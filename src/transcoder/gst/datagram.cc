#include "transcoder/gst/datagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "transcoder/gst/ts_section.h"

namespace transcoder {

namespace {

/// Fewer sync bytes that are not at the beginning could be chance: among 208 places of random
/// bytes, 4 of them in 4 packets are so once in 20 million datagrams.
constexpr int kSureSyncs = 4;

bool begins(std::span<const std::uint8_t> bytes, std::string_view with, std::size_t at = 0) {
  return bytes.size() >= at + with.size() &&
         std::equal(with.begin(), with.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

/// The number of packets of this size, of which the first begins at `at`; 0 if most of them have no
/// sync byte: some may be damaged.
int syncs(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t packet) {
  int all = 0;
  int good = 0;
  for (; at < bytes.size(); at += packet, ++all) good += bytes[at] == kTsSyncByte;
  return 2 * good > all ? good : 0;
}

/// The number of packets of a transport stream, which may be cut anywhere; 0 if it is none.
int ts_packets_in(std::span<const std::uint8_t> bytes) {
  for (const auto packet : kTsStrides) {
    const std::size_t at = packet == 192 ? 4 : 0;
    if (!bytes.empty() && bytes.size() % packet == 0 && bytes[at] == kTsSyncByte) {
      if (const int count = syncs(bytes, at, packet); count > 0) return count;
    }
  }
  for (const auto packet : kTsStrides) {
    for (std::size_t at = 0; at < std::min(packet, bytes.size()); ++at) {
      if (const int count = syncs(bytes, at, packet); count >= kSureSyncs) return count;
    }
  }
  return 0;
}

bool is_http(std::span<const std::uint8_t> bytes) {
  static constexpr std::string_view kMethods[] = {"GET ",  "HEAD ",    "POST ",  "PUT ",
                                                  "HTTP/", "OPTIONS ", "SOURCE "};
  return std::ranges::any_of(kMethods, [&](auto method) { return begins(bytes, method); });
}

/// EBML (Matroska, WebM), FLV, Ogg, ISO media, MPEG program streams and elementary streams, ADTS,
/// MP3.
bool is_container(std::span<const std::uint8_t> bytes) {
  using namespace std::string_view_literals;
  static constexpr std::string_view kBeginnings[] = {
      "\x1a\x45\xdf\xa3"sv, "FLV\x01"sv,  "OggS"sv,     "RIFF"sv,     "ID3"sv,     "\0\0\1"sv,
      "\0\0\0\1"sv,         "\xff\xf1"sv, "\xff\xf9"sv, "\xff\xfb"sv, "\xff\xfd"sv};
  return begins(bytes, "ftyp", 4) || begins(bytes, "styp", 4) ||
         std::ranges::any_of(kBeginnings, [&](auto with) { return begins(bytes, with); });
}

}  // namespace

Datagram inspect(std::span<const std::uint8_t> bytes) {
  const auto rtp = parse_rtp(bytes);
  if (rtp && rtp->payload.size() % kTsPacketBytes == 0) {
    if (const int count = ts_packets_in(rtp->payload); count > 0) {
      return {DatagramKind::kRtp, count, *rtp};
    }
  }
  if (const int count = ts_packets_in(bytes); count > 0) {
    return {DatagramKind::kTransportStream, count, {}};
  }
  if (is_http(bytes)) return {DatagramKind::kHttp, 0, {}};
  if (begins(bytes, "\xff\xd8\xff")) return {DatagramKind::kJpeg, 0, {}};
  if (is_container(bytes)) return {DatagramKind::kContainer, 0, {}};
  if (rtp) return {DatagramKind::kOtherRtp, 0, *rtp};
  return {DatagramKind::kUnknown, 0, {}};
}

std::string what_is(const Datagram& datagram) {
  switch (datagram.kind) {
    case DatagramKind::kHttp:
      return "an HTTP request";
    case DatagramKind::kJpeg:
      return "JPEG pictures";
    case DatagramKind::kOtherRtp:
      return fmt::format("RTP of payload type {} without MPEG-TS", datagram.rtp.payload_type);
    default:
      return "data without the sync bytes of MPEG-TS";
  }
}

}  // namespace transcoder
