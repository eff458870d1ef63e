#pragma once

#include <array>
#include <cstdint>

namespace transcoder {

/// An I420 picture being drawn; owns nothing.
struct Canvas {
  std::array<std::uint8_t*, 3> plane{};
  std::array<int, 3> stride{};
  int width = 0;
  int height = 0;
};

}  // namespace transcoder
