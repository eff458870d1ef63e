#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "media/packet.h"

/// Fragments of MP4 (ISO/IEC 14496-12; CMAF chunks, ISO/IEC 23000-19), each a pure function of what
/// it carries: one access unit. The tracks and their time scales are those of Headers::mp4.
namespace media {

inline constexpr std::uint32_t kMp4VideoTrack = 1;
inline constexpr std::uint32_t kMp4AudioTrack = 2;
inline constexpr std::uint32_t kMp4VideoScale = 90'000;  ///< ticks per second
inline constexpr std::uint32_t kMp4AudioScale = kAudioRate;

/// Of every fragment: moof, and what mdat begins with.
inline constexpr std::size_t kMp4FragmentHeader = 108;

std::vector<std::uint8_t> mp4_fragment(const Packet& packet);

/// In place of the first kMp4FragmentHeader bytes of mp4_fragment(packet), where those before it
/// are missing: it begins at `begin`, when the last one ended, and is shown for so much longer.
/// Players of Media Source Extensions stop at a hole, and decode nothing behind it until a keyframe
/// (W3C Media Source Extensions, coded frame processing, 6).
std::vector<std::uint8_t> mp4_bridge(const Packet& packet, Pts begin);

/// Boxes of type `free` (8.1.2), as long as TS packets, at most `bytes` of them and at most
/// kMostPadding. They live as long as the program.
std::span<const std::uint8_t> mp4_padding(std::size_t bytes);

}  // namespace media
