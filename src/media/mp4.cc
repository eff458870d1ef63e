#include "media/mp4.h"

#include <algorithm>
#include <chrono>
#include <ratio>
#include <string_view>

#include "media/bytes.h"
#include "media/h264.h"
#include "media/mpegts.h"

namespace media {

namespace {

// tfhd (8.8.7): offsets count from moof.
constexpr std::uint32_t kDefaultBaseIsMoof = 0x02'0000;
// trun (8.8.8): offset of the data; duration, size and flags of each sample.
constexpr std::uint32_t kRunFields = 0x001 | 0x100 | 0x200 | 0x400;
// Flags of a sample (8.8.3.1): depends on others or not; not a sync sample.
constexpr std::uint32_t kSync = 0x0200'0000;
constexpr std::uint32_t kNonSync = 0x0101'0000;

/// Writes a box around what is appended in its lifetime.
class Box {
 public:
  Box(std::vector<std::uint8_t>& out, std::string_view type) : out_{out}, begin_{out.size()} {
    append_number(out_, 0, 4);
    out_.insert(out_.end(), type.begin(), type.end());
  }
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;
  ~Box() { put_number(out_, begin_, out_.size() - begin_, 4); }

 private:
  std::vector<std::uint8_t>& out_;
  const std::size_t begin_;
};

template <std::uint32_t kScale>
std::uint64_t ticks(Pts time) {
  using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, kScale>>;
  return static_cast<std::uint64_t>(std::chrono::round<Ticks>(std::max(time, Pts{})).count());
}

struct Sample {
  bool video;
  std::uint64_t number;
  std::uint64_t begin;  ///< ticks
  std::uint64_t end;
  bool sync;
};

Sample sample_of(const Packet& packet, Pts begin) {
  const bool video = packet.kind == Packet::Kind::kVideo;
  const Pts end = packet.pts + packet.duration;
  return {.video = video,
          .number = packet.number,
          .begin = video ? ticks<kMp4VideoScale>(begin) : ticks<kMp4AudioScale>(begin),
          .end = video ? ticks<kMp4VideoScale>(end) : ticks<kMp4AudioScale>(end),
          .sync = !video || packet.keyframe};
}

void append_traf(std::vector<std::uint8_t>& out, const Sample& sample, std::size_t size) {
  const Box traf{out, "traf"};
  {
    const Box tfhd{out, "tfhd"};
    append_number(out, kDefaultBaseIsMoof, 4);
    append_number(out, sample.video ? kMp4VideoTrack : kMp4AudioTrack, 4);
  }
  {
    const Box tfdt{out, "tfdt"};
    append_number(out, 1u << 24, 4);  // version 1: 64 bits
    append_number(out, sample.begin, 8);
  }
  const Box trun{out, "trun"};
  append_number(out, kRunFields, 4);
  append_number(out, 1, 4);  // sample
  append_number(out, kMp4FragmentHeader, 4);
  append_number(out, sample.end - sample.begin, 4);
  append_number(out, size, 4);
  append_number(out, sample.sync ? kSync : kNonSync, 4);
}

/// moof and the header of an mdat of `size` bytes.
void append_header(std::vector<std::uint8_t>& out, const Sample& sample, std::size_t size) {
  {
    const Box moof{out, "moof"};
    {
      const Box mfhd{out, "mfhd"};
      append_number(out, 0, 4);
      append_number(out, sample.number + 1, 4);  // sequence_number
    }
    append_traf(out, sample, size);
  }
  append_number(out, size + 8, 4);
  for (const char c : std::string_view{"mdat"}) out.push_back(static_cast<std::uint8_t>(c));
}

}  // namespace

std::vector<std::uint8_t> mp4_fragment(const Packet& packet) {
  constexpr std::size_t kMost = 64;  // lengths that are longer than start codes
  std::vector<std::uint8_t> out(kMp4FragmentHeader);
  out.reserve(kMp4FragmentHeader + packet.unit.size() + kMost);
  if (packet.kind == Packet::Kind::kAudio) {
    out.insert(out.end(), packet.unit.begin(), packet.unit.end());
  } else {
    h264::append_with_lengths(out, packet.unit);
  }
  std::vector<std::uint8_t> header;
  append_header(header, sample_of(packet, packet.pts), out.size() - kMp4FragmentHeader);
  std::ranges::copy(header, out.begin());
  return out;
}

std::vector<std::uint8_t> mp4_bridge(const Packet& packet, Pts begin) {
  std::vector<std::uint8_t> header;
  append_header(header, sample_of(packet, begin),
                packet.in(Container::kMp4).size() - kMp4FragmentHeader);
  return header;
}

std::span<const std::uint8_t> mp4_padding(std::size_t bytes) {
  static const std::vector<std::uint8_t> kBoxes = [] {
    std::vector<std::uint8_t> boxes;
    while (boxes.size() < kMostPadding) {
      const Box box{boxes, "free"};
      boxes.insert(boxes.end(), kTsPacketSize - 8, 0);
    }
    return boxes;
  }();
  return std::span{kBoxes}.first(std::min(bytes, kMostPadding) / kTsPacketSize * kTsPacketSize);
}

}  // namespace media
