#pragma once

#include <memory>
#include <string>

#include "media/frame.h"

namespace control {

/// Decodes the pictures of a recorded MPEG-TS stream one after the other. Used by one thread.
/// Start-up errors throw std::runtime_error.
class Recording {
 public:
  explicit Recording(const std::string& path);
  ~Recording();

  /// The next picture; nullptr at the end. Skips data that cannot be decoded.
  media::FramePtr next();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace control
