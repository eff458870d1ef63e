#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "media/packet.h"

/// FLV (Adobe Flash Video File Format Specification 10.1, annex E) of H.264 and AAC. Pure
/// functions; thread-safe. Timestamps are the stream's pts in milliseconds, modulo 2^32 (49.7
/// days).
namespace media {

/// The tag of one access unit, with the PreviousTagSize that follows it.
std::vector<std::uint8_t> flv_tag(const Packet& packet);

/// The first bytes of a response: headers.flv, with the sequence headers at `pts`, the time of the
/// first frame.
std::vector<std::uint8_t> flv_begin(const Headers& headers, Pts pts);

/// Script tags that every player skips, each as long as a TS packet: as many whole tags as fit in
/// `bytes`, at most kMaxPaddingBytes. They live as long as the program.
std::span<const std::uint8_t> flv_padding(std::size_t bytes);

}  // namespace media
