#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "media/frame.h"

namespace transcoder {

/// Pictures of full range (0 to 255) in the limited one (luma 16 to 235, chroma 16 to 240), for
/// formats that have no word for the other. Pure.
class LimitedRange {
 public:
  /// Where `frame` is of limited range already, the same planes; others are valid until the next
  /// call.
  media::Frame convert(const media::Frame& frame);

 private:
  std::array<std::vector<std::uint8_t>, 3> planes_;
};

}  // namespace transcoder
