#include "media/flv.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "media/bytes.h"
#include "media/h264.h"
#include "media/mpegts.h"

namespace media {

namespace {

constexpr std::uint8_t kAudioTag = 8;
constexpr std::uint8_t kVideoTag = 9;
constexpr std::uint8_t kScriptTag = 18;

constexpr std::size_t kFileHeaderBytes = 9 + 4;  // the header and PreviousTagSize0
constexpr std::size_t kTagHeaderBytes = 11;
constexpr std::size_t kTagSizeBytes = 4;  // PreviousTagSize, after each tag

constexpr std::uint8_t kKeyframeAvc = 0x17;
constexpr std::uint8_t kInterAvc = 0x27;
// AAC; the specification fixes the other bits to 44 kHz, 16 bits, stereo, whatever the audio is.
constexpr std::uint8_t kAacFormat = 0xaf;
// AVCPacketType and AACPacketType of a coded frame; a sequence header has 0.
constexpr std::uint8_t kCodedFrame = 1;

std::uint32_t milliseconds(Pts pts) {
  return static_cast<std::uint32_t>(std::chrono::round<std::chrono::milliseconds>(pts).count());
}

void append_header(std::vector<std::uint8_t>& out, std::uint8_t type, std::uint32_t time) {
  out.push_back(type);
  append_number(out, 0, 3);  // the length: end_tag() fills it in
  append_number(out, time, 3);
  out.push_back(static_cast<std::uint8_t>(time >> 24));
  append_number(out, 0, 3);  // StreamID
}

void end_tag(std::vector<std::uint8_t>& out, std::size_t begin) {
  const std::size_t size = out.size() - begin;
  put_number(out, begin + 1, size - kTagHeaderBytes, 3);
  append_number(out, size, kTagSizeBytes);
}

std::size_t tag_size(std::span<const std::uint8_t> tag) {
  return kTagHeaderBytes + (static_cast<std::size_t>(tag[1]) << 16 | tag[2] << 8 | tag[3]) +
         kTagSizeBytes;
}

void set_time(std::span<std::uint8_t> tag, std::uint32_t time) {
  put_number(tag, 4, time, 3);
  tag[7] = static_cast<std::uint8_t>(time >> 24);
}

/// A script tag of kTsPacketSize bytes: a cue point whose value is a string of blanks. libavformat
/// ignores cue points, but creates another track for a name it does not know.
void append_padding_tag(std::vector<std::uint8_t>& out) {
  constexpr std::uint8_t kStringType = 2;
  constexpr std::string_view kScriptName = "onCuePoint";
  constexpr std::size_t kStringBytes =
      kTsPacketSize - kTagHeaderBytes - kTagSizeBytes - (1 + 2 + kScriptName.size()) - (1 + 2);
  const std::size_t begin = out.size();
  append_header(out, kScriptTag, 0);
  out.push_back(kStringType);
  append_number(out, kScriptName.size(), 2);
  out.insert(out.end(), kScriptName.begin(), kScriptName.end());
  out.push_back(kStringType);
  append_number(out, kStringBytes, 2);
  out.insert(out.end(), kStringBytes, ' ');
  end_tag(out, begin);
}

}  // namespace

std::vector<std::uint8_t> flv_tag(const Packet& packet) {
  // The tag's own fields, and NAL unit lengths that are longer than their start codes. In a frame
  // with more units the vector grows once.
  constexpr std::size_t kReservedOverhead = 64;
  std::vector<std::uint8_t> out;
  out.reserve(packet.unit.size() + kReservedOverhead);
  if (packet.kind == Packet::Kind::kAudio) {
    append_header(out, kAudioTag, milliseconds(packet.pts));
    out.insert(out.end(), {kAacFormat, kCodedFrame});
    out.insert(out.end(), packet.unit.begin(), packet.unit.end());
  } else {
    append_header(out, kVideoTag, milliseconds(packet.pts));
    out.insert(out.end(), {packet.keyframe ? kKeyframeAvc : kInterAvc, kCodedFrame});
    append_number(out, 0, 3);  // CompositionTime: shown when decoded
    h264::append_with_lengths(out, packet.unit);
  }
  end_tag(out, 0);
  return out;
}

/// The metadata keep time 0, where libavformat takes them for the start of a file. It creates a
/// track for metadata at a later time.
std::vector<std::uint8_t> flv_begin(const Headers& headers, Pts pts) {
  std::vector<std::uint8_t> out = headers.flv;
  for (std::span rest = std::span{out}.subspan(kFileHeaderBytes); !rest.empty();
       rest = rest.subspan(tag_size(rest))) {
    if (rest[0] != kScriptTag) set_time(rest, milliseconds(pts));
  }
  return out;
}

std::span<const std::uint8_t> flv_padding(std::size_t bytes) {
  static const std::vector<std::uint8_t> kTags = [] {
    std::vector<std::uint8_t> tags;
    while (tags.size() < kMaxPaddingBytes) append_padding_tag(tags);
    return tags;
  }();
  return std::span{kTags}.first(std::min(bytes, kMaxPaddingBytes) / kTsPacketSize * kTsPacketSize);
}

}  // namespace media
