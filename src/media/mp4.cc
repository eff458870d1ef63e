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

// tfhd (8.8.7): default-base-is-moof, offsets count from the moof box.
constexpr std::uint32_t kTfhdFlags = 0x02'0000;
// trun (8.8.8): data offset; duration, size and flags of each sample.
constexpr std::uint32_t kTrunFlags = 0x001 | 0x100 | 0x200 | 0x400;
// Sample flags (8.8.3.1): sample_depends_on, sample_is_non_sync_sample.
constexpr std::uint32_t kSyncSampleFlags = 0x0200'0000;
constexpr std::uint32_t kNonSyncSampleFlags = 0x0101'0000;

constexpr std::size_t kTrunSampleBytes = 12;  // duration, size, flags
// NAL unit lengths that are longer than their start codes. In a frame with more units the vector
// grows once.
constexpr std::size_t kReservedLengths = 64;

/// Size of a fragment's moof and mdat header.
constexpr std::size_t header_size(std::size_t samples) {
  return kMp4FragmentHeaderBytes + (samples - 1) * kTrunSampleBytes;
}

/// Wraps the bytes appended during its lifetime in a box.
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

/// In two steps, because nanoseconds since 1970 times a timescale do not fit in 64 bits.
template <std::uint32_t kTimescale>
std::uint64_t ticks(Pts time) {
  using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, kTimescale>>;
  const Pts since = std::max(time, Pts{});
  const auto whole = std::chrono::floor<std::chrono::seconds>(since);
  const auto rest = std::chrono::round<Ticks>(since - whole);
  return static_cast<std::uint64_t>(whole.count() * std::int64_t{kTimescale} + rest.count());
}

struct Sample {
  std::uint64_t duration;  ///< ticks
  std::size_t size;
  bool sync;
};

/// Consecutive samples of one track.
struct Run {
  std::uint32_t track;
  std::uint64_t sequence;
  std::uint64_t begin;  ///< ticks
  std::span<const Sample> samples;
};

std::uint64_t ticks(const Packet& packet, Pts time) {
  return packet.kind == Packet::Kind::kVideo ? ticks<kMp4VideoTimescale>(time)
                                             : ticks<kMp4AudioTimescale>(time);
}

std::uint32_t track(const Packet& packet) {
  return packet.kind == Packet::Kind::kVideo ? kMp4VideoTrack : kMp4AudioTrack;
}

bool is_sync(const Packet& packet) {
  return packet.kind == Packet::Kind::kAudio || packet.keyframe;
}

void append_trun(std::vector<std::uint8_t>& out, std::span<const Sample> samples) {
  const Box trun{out, "trun"};
  append_number(out, kTrunFlags, 4);
  append_number(out, samples.size(), 4);
  append_number(out, header_size(samples.size()), 4);
  for (const auto& sample : samples) {
    append_number(out, sample.duration, 4);
    append_number(out, sample.size, 4);
    append_number(out, sample.sync ? kSyncSampleFlags : kNonSyncSampleFlags, 4);
  }
}

void append_traf(std::vector<std::uint8_t>& out, const Run& run) {
  const Box traf{out, "traf"};
  {
    const Box tfhd{out, "tfhd"};
    append_number(out, kTfhdFlags, 4);
    append_number(out, run.track, 4);
  }
  {
    const Box tfdt{out, "tfdt"};
    append_number(out, 1u << 24, 4);  // version 1: 64 bits
    append_number(out, run.begin, 8);
  }
  append_trun(out, run.samples);
}

/// Appends moof and the header of the mdat that holds the samples.
void append_header(std::vector<std::uint8_t>& out, const Run& run) {
  {
    const Box moof{out, "moof"};
    {
      const Box mfhd{out, "mfhd"};
      append_number(out, 0, 4);
      append_number(out, run.sequence, 4);
    }
    append_traf(out, run);
  }
  std::size_t size = 8;
  for (const auto& sample : run.samples) size += sample.size;
  append_number(out, size, 4);
  for (const char c : std::string_view{"mdat"}) out.push_back(static_cast<std::uint8_t>(c));
}

void append_data(std::vector<std::uint8_t>& out, const Packet& packet) {
  if (packet.kind == Packet::Kind::kAudio) {
    out.insert(out.end(), packet.unit.begin(), packet.unit.end());
  } else {
    h264::append_with_lengths(out, packet.unit);
  }
}

/// `packet`, of `size` bytes, is shown from `begin` to `end`.
Sample sample_of(const Packet& packet, Pts begin, Pts end, std::size_t size) {
  return {ticks(packet, end) - ticks(packet, begin), size, is_sync(packet)};
}

/// The header of a fragment of one packet of `size` bytes that is shown from `begin` on.
std::vector<std::uint8_t> single_header(const Packet& packet, Pts begin, std::size_t size) {
  const Sample sample = sample_of(packet, begin, packet.pts + packet.duration, size);
  std::vector<std::uint8_t> header;
  append_header(header, {.track = track(packet),
                         .sequence = packet.number + 1,
                         .begin = ticks(packet, begin),
                         .samples = {&sample, 1}});
  return header;
}

}  // namespace

std::vector<std::uint8_t> mp4_fragment(const Packet& packet) {
  std::vector<std::uint8_t> out(kMp4FragmentHeaderBytes);
  out.reserve(kMp4FragmentHeaderBytes + packet.unit.size() + kReservedLengths);
  append_data(out, packet);
  std::ranges::copy(single_header(packet, packet.pts, out.size() - kMp4FragmentHeaderBytes),
                    out.begin());
  return out;
}

std::vector<std::uint8_t> mp4_bridge(const Packet& packet, Pts begin) {
  return single_header(packet, begin, packet.in(Container::kMp4).size() - kMp4FragmentHeaderBytes);
}

std::vector<std::uint8_t> mp4_joint_header(std::span<const Packet* const> packets) {
  const Packet& first = *packets.front();
  std::vector<Sample> samples;
  samples.reserve(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Packet& packet = *packets[i];
    const Pts next = i + 1 < packets.size() ? packets[i + 1]->pts : packet.pts + packet.duration;
    samples.push_back(sample_of(packet, packet.pts, next,
                                packet.in(Container::kMp4).size() - kMp4FragmentHeaderBytes));
  }
  std::vector<std::uint8_t> header;
  header.reserve(header_size(samples.size()));
  append_header(header, {.track = track(first),
                         .sequence = first.number + 1,
                         .begin = ticks(first, first.pts),
                         .samples = samples});
  return header;
}

std::vector<std::uint8_t> mp4_chunk(std::span<const PacketPtr> packets, Pts end,
                                    std::uint64_t sequence, base::Duration origin) {
  std::vector<std::uint8_t> out(header_size(packets.size()));
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Packet& packet = *packets[i];
    const Pts next = i + 1 < packets.size() ? packets[i + 1]->pts : end;
    const std::size_t before = out.size();
    append_data(out, packet);
    samples.push_back(sample_of(packet, origin + packet.pts, origin + next, out.size() - before));
  }
  std::vector<std::uint8_t> header;
  append_header(header, {.track = kMp4OnlyTrack,
                         .sequence = sequence,
                         .begin = ticks(*packets[0], origin + packets[0]->pts),
                         .samples = samples});
  std::ranges::copy(header, out.begin());
  return out;
}

std::span<const std::uint8_t> mp4_padding(std::size_t bytes) {
  static const std::vector<std::uint8_t> kFreeBoxes = [] {
    std::vector<std::uint8_t> boxes;
    while (boxes.size() < kMaxPaddingBytes) {
      const Box box{boxes, "free"};
      boxes.insert(boxes.end(), kTsPacketSize - 8, 0);
    }
    return boxes;
  }();
  return std::span{kFreeBoxes}.first(std::min(bytes, kMaxPaddingBytes) / kTsPacketSize *
                                     kTsPacketSize);
}

}  // namespace media
