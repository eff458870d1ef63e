#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/frame.h"

namespace transcoder {

/// Whether a picture shows another scene than the one before it, so that little can be predicted:
/// the mean difference of their luma, in blocks of 4 x 4, has grown to more than three times and
/// five levels. Pure.
class SceneCut {
 public:
  /// Call once per picture, all of one size.
  bool update(const media::Frame& frame);

 private:
  std::vector<std::uint8_t> blocks_;  ///< means, of the last picture
  std::optional<double> difference_;  ///< of the last two pictures, in luma levels
};

}  // namespace transcoder
