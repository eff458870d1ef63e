#pragma once

#include <cstdint>

namespace transcoder {

/// Pixels per step of the loops below, which work on whole blocks so that the compiler can use
/// vector registers of up to 32 bytes. Every row must have memory for whole_blocks(width) pixels,
/// counted from its offset.
inline constexpr int kRowBlockPixels = 32;

constexpr int whole_blocks(int width) {
  return (width + kRowBlockPixels - 1) / kRowBlockPixels * kRowBlockPixels;
}

/// below += (above - below) * cover / 255, with cover from 0 to 255.
void blend_row(std::uint8_t* below, const std::uint8_t* above, const std::uint8_t* cover,
               int width);

/// line += grain, modulo 256. Does not wrap, because `grain` is small and signed, and pictures stay
/// within the limited range.
void add_row(std::uint8_t* line, const std::uint8_t* grain, int width);

}  // namespace transcoder
