#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace transcoder {

/// What a program can read in a picture of the test source, also after encoding, scaling and
/// decoding: two rows of black and white blocks at the bottom, sized in proportion to the picture.
struct TestCode {
  std::uint32_t frame = 0;               ///< counts the source's pictures
  std::chrono::milliseconds captured{};  ///< CLOCK_MONOTONIC, modulo 2^48 ms
  bool operator==(const TestCode&) const = default;
};

/// An 8-bit luma plane with values in video range.
struct LumaView {
  const std::uint8_t* data = nullptr;
  int stride = 0;
  int width = 0;
  int height = 0;
};

/// Share of the picture's height that the code takes, at its bottom.
inline constexpr int kTestCodeHeightDivisor = 12;

/// `luma` has the view's size; at least 192 columns.
void draw_test_code(const TestCode& code, std::uint8_t* luma, int stride, int width, int height);

/// Empty when there is no code, or its checksum is wrong.
std::optional<TestCode> read_test_code(const LumaView& picture);

}  // namespace transcoder
