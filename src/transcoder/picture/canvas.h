#pragma once

#include <array>
#include <cstdint>

namespace transcoder {

/// The planes of an I420 picture to draw into. Owns nothing.
struct Canvas {
  std::array<std::uint8_t*, 3> plane{};  ///< Y, U, V
  std::array<int, 3> stride{};           ///< bytes
  int width = 0;                         ///< luma pixels, even
  int height = 0;                        ///< luma pixels, even
};

}  // namespace transcoder
