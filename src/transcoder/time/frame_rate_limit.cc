#include "transcoder/time/frame_rate_limit.h"

#include <algorithm>

namespace transcoder {

FrameRateLimit::FrameRateLimit(double max_rate) : interval_{base::from_seconds(1 / max_rate)} {}

//        |<- interval ->|             A picture may reach its grid point up to a quarter of an
//   -----*-----------*--|-----*---    interval early: containers round timestamps (MPEG-TS 11 us,
//       next-slack  next              Matroska and FLV 1 ms), and cameras wobble.
bool FrameRateLimit::admit(media::Pts pts) {
  const auto slack = interval_ / 4;
  if (next_ && pts < *next_ - slack) return false;
  next_ = std::max(next_.value_or(pts), pts - slack) + interval_;
  return true;
}

}  // namespace transcoder
