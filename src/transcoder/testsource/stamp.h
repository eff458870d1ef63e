#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "transcoder/picture/canvas.h"

namespace transcoder {

/// A small white shape with a dark rim, drawn once with smooth edges and then put into pictures.
class Stamp {
 public:
  /// Distance in pixels from (x, y) to the shape's edge; negative inside.
  using Distance = std::function<double(double x, double y)>;

  Stamp() = default;
  /// `rim`: width of the dark rim around the shape, in pixels.
  Stamp(int width, int height, double rim, const Distance& distance);

  int width() const { return width_; }
  int height() const { return height_; }

  /// Puts it with its top left corner at (x, y), both made even; what is outside is cut off.
  void put(const Canvas& canvas, int x, int y) const;

 private:
  void put_luma(const Canvas& canvas, int x, int y) const;
  void put_chroma(const Canvas& canvas, int x, int y) const;

  int width_ = 0;
  int height_ = 0;
  std::vector<std::uint8_t> cover_;  // how much of the picture it hides: 0 ... 255
  std::vector<std::uint8_t> white_;  // how much of what it shows is white
};

}  // namespace transcoder
