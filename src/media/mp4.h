#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "media/packet.h"

/// Fragments of MP4 (ISO/IEC 14496-12; CMAF chunks, ISO/IEC 23000-19), each a pure function of what
/// it carries. The tracks and their time scales are those of Headers.
namespace media {

inline constexpr std::uint32_t kMp4VideoTrack = 1;
inline constexpr std::uint32_t kMp4AudioTrack = 2;
inline constexpr std::uint32_t kMp4OnlyTrack = 1;        ///< of Headers::mp4_video and mp4_audio
inline constexpr std::uint32_t kMp4VideoScale = 90'000;  ///< ticks per second
inline constexpr std::uint32_t kMp4AudioScale = kAudioRate;

/// Of every fragment of one access unit: moof, and what mdat begins with.
inline constexpr std::size_t kMp4FragmentHeader = 108;

std::vector<std::uint8_t> mp4_fragment(const Packet& packet);

/// In place of the first kMp4FragmentHeader bytes of mp4_fragment(packet), where those before it
/// are missing: it begins at `begin`, when the last one ended, and is shown for so much longer.
/// Players of Media Source Extensions stop at a hole, and decode nothing behind it until a keyframe
/// (W3C Media Source Extensions, coded frame processing, 6).
std::vector<std::uint8_t> mp4_bridge(const Packet& packet, Pts begin);

/// A CMAF chunk of one track: access units of one kind, up to the one that begins at `end`.
/// REQUIRES: there is one. `sequence` rises from chunk to chunk (8.8.5).
std::vector<std::uint8_t> mp4_chunk(std::span<const PacketPtr> packets, Pts end,
                                    std::uint64_t sequence);

/// Boxes of type `free` (8.1.2), as long as TS packets, at most `bytes` of them and at most
/// kMostPadding. They live as long as the program.
std::span<const std::uint8_t> mp4_padding(std::size_t bytes);

}  // namespace media
