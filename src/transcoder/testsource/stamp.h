#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "transcoder/picture/canvas.h"

namespace transcoder {

/// A small white shape with a dark rim and smooth edges, rendered once and then drawn into
/// pictures.
class Stamp {
 public:
  /// Distance in pixels from (x, y) to the shape's edge; negative inside.
  using Distance = std::function<double(double x, double y)>;

  Stamp() = default;
  /// `rim`: width of the dark rim around the shape, in pixels.
  Stamp(int width, int height, double rim, const Distance& distance);

  int width() const { return width_; }
  int height() const { return height_; }

  /// Draws it with its top left corner at (x, y), rounded down to even; clips at the canvas' edges.
  void put(const Canvas& canvas, int x, int y) const;

 private:
  void put_luma(const Canvas& canvas, int x, int y) const;
  void put_chroma(const Canvas& canvas, int x, int y) const;

  int width_ = 0;
  int height_ = 0;
  std::vector<std::uint8_t> cover_;  // opacity: 0 ... 255
  std::vector<std::uint8_t> white_;  // brightness: 0 (dark) ... 255 (white)
};

}  // namespace transcoder
