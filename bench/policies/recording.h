#pragma once

#include <memory>
#include <string>

#include "media/frame.h"

namespace control {

/// The pictures of a recorded MPEG-TS stream, decoded one after the other. Used by one thread.
/// Start-up errors throw std::runtime_error.
class Recording {
 public:
  explicit Recording(const std::string& path);
  ~Recording();

  /// The next one; nullptr at the end. What the decoder cannot use it leaves out.
  media::FramePtr next();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace control
