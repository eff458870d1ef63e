#include "transcoder/testsource/test_code.h"

#include <cstring>

namespace transcoder {

namespace {

// At 1280x720 a block is 27 x 30 pixels: larger than a 16 x 16 macroblock, so that its middle
// survives every quantiser. At half the size it still contains a whole 8 x 8 transform.
constexpr std::uint8_t kZeroLuma = 16;
constexpr std::uint8_t kOneLuma = 235;

void put(TestCodeBits& bits, std::size_t at, int count, std::uint64_t value) {
  for (int i = count - 1; i >= 0; --i) bits[at++] = (value >> i) & 1;
}

}  // namespace

TestCodeBlock test_code_block(int index, int width, int height) {
  const int column = index % kTestCodeColumns;
  const int row = index / kTestCodeColumns;
  const int top = height - height / kTestCodeHeightDivisor;
  const auto line = [&](int r) { return top + (height - top) * r / kTestCodeRows; };
  return {width * column / kTestCodeColumns, width * (column + 1) / kTestCodeColumns, line(row),
          line(row + 1)};
}

std::uint16_t test_code_checksum(const TestCodeBits& bits) {
  std::uint16_t crc = 0xffff;
  for (std::size_t i = 0; i < bits.size() - 16; ++i) {
    const bool out = ((crc >> 15) & 1) != static_cast<int>(bits[i]);
    crc = static_cast<std::uint16_t>(crc << 1);
    if (out) crc ^= 0x1021;
  }
  return crc;
}

void draw_test_code(const TestCode& code, std::uint8_t* luma, int stride, int width, int height) {
  TestCodeBits bits{};
  put(bits, 0, 32, code.frame);
  put(bits, 32, 48, static_cast<std::uint64_t>(code.captured.count()));
  put(bits, 80, 16, test_code_checksum(bits));
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const auto b = test_code_block(static_cast<int>(i), width, height);
    for (int y = b.top; y < b.bottom; ++y) {
      std::memset(luma + y * stride + b.left, bits[i] ? kOneLuma : kZeroLuma,
                  static_cast<std::size_t>(b.right - b.left));
    }
  }
}

}  // namespace transcoder
