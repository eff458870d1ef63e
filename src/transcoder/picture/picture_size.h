#pragma once

#include "transcoder/settings.h"

namespace transcoder {

struct PictureSize {
  int width = 0;
  int height = 0;
  bool operator==(const PictureSize&) const = default;
};

/// The size at which a picture is used: unchanged within the limits, otherwise scaled down in its
/// own shape to the largest size that fits. Both numbers are even (4:2:0 has half as much chroma):
/// an odd picture within the limits loses its last column or line, never gains one.
PictureSize fit_picture(PictureSize source, const VideoSettings& limits);

/// `scale` of its width and height (at most 1), even again.
PictureSize scale_picture(PictureSize size, double scale);

}  // namespace transcoder
