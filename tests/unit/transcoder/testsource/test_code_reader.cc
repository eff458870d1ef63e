#include "test_code_reader.h"

#include <algorithm>
#include <array>

namespace transcoder::test {

namespace {

/// A smaller difference between black and white is noise, not a code.
constexpr int kMinContrast = 40;

std::uint64_t take(const TestCodeBits& bits, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 1 | static_cast<std::uint64_t>(bits[at++]);
  return value;
}

/// The mean of the block's inner half, because its edges blur into the neighbours.
int brightness(const LumaView& picture, const TestCodeBlock& b) {
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

std::optional<TestCode> read_test_code(const LumaView& picture) {
  TestCodeBits bits{};
  std::array<int, bits.size()> level{};
  for (std::size_t i = 0; i < bits.size(); ++i) {
    const auto block = test_code_block(static_cast<int>(i), picture.width, picture.height);
    level[i] = brightness(picture, block);
  }
  const auto [dark, bright] = std::minmax_element(level.begin(), level.end());
  if (*bright - *dark < kMinContrast) return std::nullopt;
  const int threshold = (*bright + *dark) / 2;
  std::transform(level.begin(), level.end(), bits.begin(), [&](int l) { return l > threshold; });
  if (take(bits, 80, 16) != test_code_checksum(bits)) return std::nullopt;
  return TestCode{static_cast<std::uint32_t>(take(bits, 0, 32)),
                  std::chrono::milliseconds{take(bits, 32, 48)}};
}

}  // namespace transcoder::test
