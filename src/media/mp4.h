#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "media/packet.h"

/// MP4 fragments (ISO/IEC 14496-12) and CMAF chunks (ISO/IEC 23000-19). Pure functions;
/// thread-safe. Headers describe their tracks with these IDs and timescales.
namespace media {

inline constexpr std::uint32_t kMp4VideoTrack = 1;
inline constexpr std::uint32_t kMp4AudioTrack = 2;
inline constexpr std::uint32_t kMp4OnlyTrack = 1;  ///< in Headers::mp4_video and mp4_audio
inline constexpr std::uint32_t kMp4VideoTimescale = 90'000;  ///< ticks per second, as in MPEG-TS
inline constexpr std::uint32_t kMp4AudioTimescale = kAudioRate;

/// Size of moof and mdat header in a fragment of one access unit.
inline constexpr std::size_t kMp4FragmentHeaderBytes = 108;

/// A fragment of one access unit.
std::vector<std::uint8_t> mp4_fragment(const Packet& packet);

/// A header to replace the first kMp4FragmentHeaderBytes of mp4_fragment(packet) when the packets
/// before it are missing. It starts the packet at `begin`, where the last one sent ended, and
/// lengthens it by the gap. Media Source Extensions players stop at a gap, and decode nothing after
/// it until a keyframe (W3C Media Source Extensions, coded frame processing, 6).
std::vector<std::uint8_t> mp4_bridge(const Packet& packet, Pts begin);

/// A header to replace the first kMp4FragmentHeaderBytes of each packet's mp4_fragment(): they
/// become one fragment. REQUIRES: consecutive packets of one kind, at least one.
std::vector<std::uint8_t> mp4_joint_header(std::span<const Packet* const> packets);

/// A CMAF chunk of one track. `end`: when the access unit after these begins. `sequence` rises from
/// chunk to chunk (8.8.5); its lower 32 bits are written. `origin` is the media time of pts 0.
/// REQUIRES: at least one packet, and all of one kind.
std::vector<std::uint8_t> mp4_chunk(std::span<const PacketPtr> packets, Pts end,
                                    std::uint64_t sequence, base::Duration origin = {});

/// Boxes of type `free` (8.1.2), each as long as a TS packet: as many whole boxes as fit in
/// `bytes`, at most kMaxPaddingBytes. They live as long as the program.
std::span<const std::uint8_t> mp4_padding(std::size_t bytes);

}  // namespace media
