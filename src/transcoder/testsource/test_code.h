#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace transcoder {

/// What a program can read in a picture of the test source, also after encoding, scaling and
/// decoding: two rows of 48 black (0) and white blocks at the bottom, sized in proportion to the
/// picture, from left to right and top to bottom: the frame number in 32 bits, the capture time in
/// 48, and the checksum of these 80 in 16; each with its most significant bit first.
struct TestCode {
  std::uint32_t frame = 0;               ///< counts the source's pictures
  std::chrono::milliseconds captured{};  ///< CLOCK_MONOTONIC, modulo 2^48 ms
  bool operator==(const TestCode&) const = default;
};

inline constexpr int kTestCodeColumns = 48;
inline constexpr int kTestCodeRows = 2;
using TestCodeBits = std::array<bool, kTestCodeColumns * kTestCodeRows>;

/// Share of the picture's height that the code takes, at its bottom.
inline constexpr int kTestCodeHeightDivisor = 12;

/// Pixels of one block; right and bottom are the first ones after it.
struct TestCodeBlock {
  int left, right, top, bottom;
};
TestCodeBlock test_code_block(int index, int width, int height);

/// CRC-16/CCITT-FALSE of the bits before the checksum; its start value makes the all-black picture
/// invalid.
std::uint16_t test_code_checksum(const TestCodeBits& bits);

/// `luma` has the size given; at least 192 columns.
void draw_test_code(const TestCode& code, std::uint8_t* luma, int stride, int width, int height);

}  // namespace transcoder
