#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/frame.h"

namespace transcoder {

/// Detects pictures that show another scene than the one before, so that little can be predicted:
/// the mean difference of their luma, in blocks of 4 x 4, exceeds three times the previous
/// difference plus five levels. No I/O, no clock.
class SceneCut {
 public:
  /// Whether `frame` is the first picture of a scene. Call once per picture; all must have one
  /// size.
  bool update(const media::Frame& frame);

 private:
  std::vector<std::uint8_t> blocks_;  ///< block means of the last picture
  std::optional<double> difference_;  ///< between the last two pictures, in luma levels
};

}  // namespace transcoder
