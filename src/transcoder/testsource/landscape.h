#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "transcoder/picture/canvas.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// The moving background of the test picture: a sky with clouds and mountains at dusk, in layers
/// that scroll at their own speeds. Drawn once when constructed (0.2 s at 1280x720); each picture
/// is then copied together line by line.
class Landscape {
 public:
  /// Left unfinished when `stop` is requested.
  explicit Landscape(PictureSize size, const std::stop_token& stop = {});
  ~Landscape();

  /// The view after `step` pictures; layers move by whole even pixels, so that motion
  /// compensation of any codec can follow exactly.
  void draw(const Canvas& canvas, std::int64_t step) const;

 private:
  struct Layer;
  void draw_plane(const Canvas& canvas, std::size_t plane, std::int64_t step) const;

  const PictureSize size_;
  std::vector<Layer> layers_;  // far to near
};

}  // namespace transcoder
