#pragma once

#include <cstdint>

namespace transcoder {

/// Loops over a line of pixels, in whole blocks of kRowBlock so that the compiler makes vector code
/// of them. Every line has memory for whole_blocks(width) pixels, also at its offset.
inline constexpr int kRowBlock = 32;

constexpr int whole_blocks(int width) { return (width + kRowBlock - 1) / kRowBlock * kRowBlock; }

/// below += (above - below) * cover, with cover from 0 to 255.
void blend_row(std::uint8_t* below, const std::uint8_t* above, const std::uint8_t* cover,
               int width);

/// line += grain, modulo 256: `grain` is signed and small, and pictures keep to video range.
void add_row(std::uint8_t* line, const std::uint8_t* grain, int width);

}  // namespace transcoder
