#include "media/flv.h"

#include <algorithm>
#include <chrono>

#include "media/bytes.h"
#include "media/h264.h"
#include "media/mpegts.h"

namespace media {

namespace {

constexpr std::uint8_t kAudioTag = 8;
constexpr std::uint8_t kVideoTag = 9;
constexpr std::uint8_t kScriptTag = 18;

constexpr std::size_t kFileHeader = 9 + 4;  // and the size of no tag before the first
constexpr std::size_t kTagHeader = 11;
constexpr std::size_t kTagSize = 4;  // behind each tag, its length

constexpr std::uint8_t kKeyframeAvc = 0x17;
constexpr std::uint8_t kInterAvc = 0x27;
constexpr std::uint8_t kAac = 0xaf;  // and 44 kHz, 16 bits, stereo, as the specification has it
constexpr std::uint8_t kUnit = 1;    // neither a sequence header nor the end of one

std::uint32_t milliseconds(Pts pts) {
  return static_cast<std::uint32_t>(std::chrono::round<std::chrono::milliseconds>(pts).count());
}

void append_header(std::vector<std::uint8_t>& out, std::uint8_t type, std::uint32_t time) {
  out.push_back(type);
  append_number(out, 0, 3);  // the length, known at the end
  append_number(out, time, 3);
  out.push_back(static_cast<std::uint8_t>(time >> 24));
  append_number(out, 0, 3);  // stream
}

void end_tag(std::vector<std::uint8_t>& out, std::size_t begin) {
  const std::size_t size = out.size() - begin;
  put_number(out, begin + 1, size - kTagHeader, 3);
  append_number(out, size, kTagSize);
}

std::size_t tag_size(std::span<const std::uint8_t> tag) {
  return kTagHeader + (static_cast<std::size_t>(tag[1]) << 16 | tag[2] << 8 | tag[3]) + kTagSize;
}

void set_time(std::span<std::uint8_t> tag, std::uint32_t time) {
  put_number(tag, 4, time, 3);
  tag[7] = static_cast<std::uint8_t>(time >> 24);
}

/// A tag of kTsPacketSize bytes: a cue point that is a string of nothing. Of a name that it
/// does not know libavformat makes one more track.
void append_padding_tag(std::vector<std::uint8_t>& out) {
  constexpr std::uint8_t kString = 2;
  constexpr std::string_view kName = "onCuePoint";
  constexpr std::size_t kText =
      kTsPacketSize - kTagHeader - kTagSize - (1 + 2 + kName.size()) - (1 + 2);
  const std::size_t begin = out.size();
  append_header(out, kScriptTag, 0);
  out.push_back(kString);
  append_number(out, kName.size(), 2);
  out.insert(out.end(), kName.begin(), kName.end());
  out.push_back(kString);
  append_number(out, kText, 2);
  out.insert(out.end(), kText, ' ');
  end_tag(out, begin);
}

}  // namespace

std::vector<std::uint8_t> flv_tag(const Packet& packet) {
  constexpr std::size_t kMost = 64;  // headers, and lengths that are longer than start codes
  std::vector<std::uint8_t> out;
  out.reserve(packet.unit.size() + kMost);
  if (packet.kind == Packet::Kind::kAudio) {
    append_header(out, kAudioTag, milliseconds(packet.pts));
    out.insert(out.end(), {kAac, kUnit});
    out.insert(out.end(), packet.unit.begin(), packet.unit.end());
  } else {
    append_header(out, kVideoTag, milliseconds(packet.pts));
    out.insert(out.end(), {packet.keyframe ? kKeyframeAvc : kInterAvc, kUnit});
    append_number(out, 0, 3);  // shown when it is decoded
    h264::append_with_lengths(out, packet.unit);
  }
  end_tag(out, 0);
  return out;
}

/// Metadata stay at zero, where libavformat takes them for the begin of a file: later ones it makes
/// a track of.
std::vector<std::uint8_t> flv_begin(const Headers& headers, Pts pts) {
  std::vector<std::uint8_t> out = headers.flv;
  for (std::span rest = std::span{out}.subspan(kFileHeader); !rest.empty();
       rest = rest.subspan(tag_size(rest))) {
    if (rest[0] != kScriptTag) set_time(rest, milliseconds(pts));
  }
  return out;
}

std::span<const std::uint8_t> flv_padding(std::size_t bytes) {
  static const std::vector<std::uint8_t> kTags = [] {
    std::vector<std::uint8_t> tags;
    while (tags.size() < kMostPadding) append_padding_tag(tags);
    return tags;
  }();
  return std::span{kTags}.first(std::min(bytes, kMostPadding) / kTsPacketSize * kTsPacketSize);
}

}  // namespace media
