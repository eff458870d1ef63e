#pragma once

#include "transcoder/settings.h"

namespace transcoder {

/// The limits for pictures of this size: their width and height are exchanged if the picture is
/// upright and they are not. An operator who limits only the width means the width.
VideoSettings limits_for(PictureSize source, VideoSettings limits);

/// The size at which a picture is used: unchanged within limits_for() it, otherwise scaled down to
/// the largest size of the same shape that fits. Width and height are even, because 4:2:0 halves
/// the chroma; a picture of odd size within the limits loses its last column or row. A pure
/// function.
PictureSize fit_picture(PictureSize source, const VideoSettings& settings);

/// Multiplies width and height by `scale` (at most 1) and makes them even. A pure function.
PictureSize scale_picture(PictureSize size, double scale);

}  // namespace transcoder
