#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "media/packet.h"

/// FLV (Adobe Flash Video File Format Specification 10.1, annex E) of H.264 and AAC: tags, each a
/// pure function of what it carries. Timestamps are the stream's pts in milliseconds, modulo 2^32
/// (49.7 days).
namespace media {

/// Tag and size of an access unit.
std::vector<std::uint8_t> flv_tag(const Packet& packet);

/// What a response begins with, at the time of its first frame.
std::vector<std::uint8_t> flv_begin(const Headers& headers, Pts pts);

/// Script data that no player knows, and each skips: tags as long as TS packets, at most `bytes` of
/// them and at most kMostPadding. They live as long as the program.
std::span<const std::uint8_t> flv_padding(std::size_t bytes);

}  // namespace media
