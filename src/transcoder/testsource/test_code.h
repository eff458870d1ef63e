#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace transcoder {

/// The machine-readable code in the pictures of the test source, which survives encoding, scaling
/// and decoding. Two rows of 48 black (0) and white (1) blocks at the bottom, sized in proportion
/// to the picture, hold, from left to right and top to bottom, the frame number in 32 bits, the
/// capture time in 48 bits and a checksum of these 80 bits in 16 bits, each with its most
/// significant bit first.
struct TestCode {
  std::uint32_t frame = 0;               ///< counts the source's pictures
  std::chrono::milliseconds captured{};  ///< CLOCK_MONOTONIC, modulo 2^48 ms
  bool operator==(const TestCode&) const = default;
};

inline constexpr int kTestCodeColumns = 48;
inline constexpr int kTestCodeRows = 2;
using TestCodeBits = std::array<bool, kTestCodeColumns * kTestCodeRows>;

/// The code takes 1/12 of the picture's height: less would not survive coarse quantisers, more
/// would hide the picture.
inline constexpr int kTestCodeHeightDivisor = 12;

/// The pixels of one block; `right` and `bottom` are exclusive.
struct TestCodeBlock {
  int left, right, top, bottom;
};
TestCodeBlock test_code_block(int index, int width, int height);

/// CRC-16/CCITT-FALSE of the bits before the checksum. Its initial value makes an all-black picture
/// invalid.
std::uint16_t test_code_checksum(const TestCodeBits& bits);

/// Draws the code into the plane `luma` of `width` x `height` pixels, at least 192 wide.
void draw_test_code(const TestCode& code, std::uint8_t* luma, int stride, int width, int height);

}  // namespace transcoder
