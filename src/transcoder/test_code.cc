#include "transcoder/test_code.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace transcoder {

namespace {

// 96 blocks: frame number 32 bits, capture time 48, checksum 16, most significant first. At
// 1280x720 a block is 27 x 30 pixels: more than one 16 x 16 macroblock, so that its middle survives
// every quantiser; scaled by 2 it still holds a whole 8 x 8 transform.
constexpr int kColumns = 48;
constexpr int kRows = 2;
constexpr int kBits = kColumns * kRows;
constexpr std::uint8_t kBlack = 16;
constexpr std::uint8_t kWhite = 235;
/// Below this difference between black and white there is no code, only noise.
constexpr int kLeastContrast = 40;

using Bits = std::array<bool, kBits>;

/// CRC-16/CCITT-FALSE: its start value makes the all-black picture invalid.
std::uint16_t checksum(const Bits& bits) {
  std::uint16_t crc = 0xffff;
  for (int i = 0; i < kBits - 16; ++i) {
    const bool out = ((crc >> 15) & 1) != static_cast<int>(bits[static_cast<std::size_t>(i)]);
    crc = static_cast<std::uint16_t>(crc << 1);
    if (out) crc ^= 0x1021;
  }
  return crc;
}

void put(Bits& bits, std::size_t at, int count, std::uint64_t value) {
  for (int i = count - 1; i >= 0; --i) bits[at++] = (value >> i) & 1;
}

std::uint64_t take(const Bits& bits, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 1 | static_cast<std::uint64_t>(bits[at++]);
  return value;
}

struct Block {
  int left, right, top, bottom;
};

Block block(int index, int width, int height) {
  const int column = index % kColumns;
  const int row = index / kColumns;
  const int top = height - height / kTestCodeHeightDivisor;
  const auto line = [&](int r) { return top + (height - top) * r / kRows; };
  return {width * column / kColumns, width * (column + 1) / kColumns, line(row), line(row + 1)};
}

/// The mean of the block's inner half: its edges blur into the neighbours.
int brightness(const LumaView& picture, const Block& b) {
  const int dx = (b.right - b.left) / 4;
  const int dy = (b.bottom - b.top) / 4;
  int sum = 0;
  int count = 0;
  for (int y = b.top + dy; y < b.bottom - dy; ++y) {
    for (int x = b.left + dx; x < b.right - dx; ++x, ++count)
      sum += picture.data[y * picture.stride + x];
  }
  return sum / std::max(1, count);
}

}  // namespace

void draw_test_code(const TestCode& code, std::uint8_t* luma, int stride, int width, int height) {
  Bits bits{};
  put(bits, 0, 32, code.frame);
  put(bits, 32, 48, static_cast<std::uint64_t>(code.captured.count()));
  put(bits, 80, 16, checksum(bits));
  for (int i = 0; i < kBits; ++i) {
    const auto b = block(i, width, height);
    const auto value = bits[static_cast<std::size_t>(i)] ? kWhite : kBlack;
    for (int y = b.top; y < b.bottom; ++y) {
      std::memset(luma + y * stride + b.left, value, static_cast<std::size_t>(b.right - b.left));
    }
  }
}

std::optional<TestCode> read_test_code(const LumaView& picture) {
  std::array<int, kBits> level{};
  for (int i = 0; i < kBits; ++i) {
    level[static_cast<std::size_t>(i)] =
        brightness(picture, block(i, picture.width, picture.height));
  }
  const auto [dark, bright] = std::minmax_element(level.begin(), level.end());
  if (*bright - *dark < kLeastContrast) return std::nullopt;
  const int threshold = (*bright + *dark) / 2;
  Bits bits{};
  std::transform(level.begin(), level.end(), bits.begin(), [&](int l) { return l > threshold; });
  if (take(bits, 80, 16) != checksum(bits)) return std::nullopt;
  return TestCode{static_cast<std::uint32_t>(take(bits, 0, 32)),
                  std::chrono::milliseconds{take(bits, 32, 48)}};
}

}  // namespace transcoder
