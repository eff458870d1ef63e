#pragma once

#include <memory>

#include "media/frame.h"
#include "transcoder/picture/picture_size.h"

namespace transcoder {

/// Pictures at another size. Used by one thread.
class Scaler {
 public:
  Scaler();
  ~Scaler();

  /// `frame` itself when it has that size already; nullptr when libswscale refuses.
  media::FramePtr scale(media::FramePtr frame, PictureSize size);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
