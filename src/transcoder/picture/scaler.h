#pragma once

#include <memory>

#include "media/frame.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// Scales pictures (bicubic, by libswscale). Used by one thread.
class Scaler {
 public:
  Scaler();
  ~Scaler();

  /// Returns `frame` itself if it already has `size`, and nullptr if libswscale fails.
  media::FramePtr scale(media::FramePtr frame, PictureSize size);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
