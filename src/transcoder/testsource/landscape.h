#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "transcoder/picture/canvas.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// The moving background of the test picture: a sky with clouds and mountains at dusk, in layers
/// that scroll at different speeds. The constructor paints the layers (0.2 s at 1280x720); each
/// picture is then composed from them row by row.
class Landscape {
 public:
  /// Stops painting early if `stop` is requested; the result is then unusable.
  explicit Landscape(PictureSize size, const std::stop_token& stop = {});
  ~Landscape();

  /// Draws the view after `step` pictures. Layers move by an even number of pixels, so that every
  /// codec's motion compensation can follow exactly.
  void draw(const Canvas& canvas, std::int64_t step) const;

 private:
  struct Layer;
  void draw_plane(const Canvas& canvas, std::size_t plane, std::int64_t step) const;

  const PictureSize size_;
  std::vector<Layer> layers_;  // far to near
};

}  // namespace transcoder
