#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "media/frame.h"

namespace transcoder {

/// Converts pictures of full range (0 to 255) to limited range (luma 16 to 235, chroma 16 to 240),
/// for formats that cannot signal full range. Used by one thread.
class LimitedRange {
 public:
  /// The result has the planes of `frame` if that is of limited range already, otherwise planes
  /// that are valid until the next call.
  media::Frame convert(const media::Frame& frame);

 private:
  std::array<std::vector<std::uint8_t>, 3> planes_;
};

}  // namespace transcoder
