#pragma once

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// Chooses TCP's pacing limit. Frames leave faster than the path carries them, so that packet
/// trains show the path and not the pacing. After a loss they leave more slowly for a while,
/// because a burst into a full queue is lost: a queue that cross traffic fills, or a short one. BBR
/// would keep losing there, as no loss makes its window smaller. Into a short queue (QueueRoom)
/// they always leave as slowly as it needs:
///
///   pace = capacity / (1 - 0.8 * room / frame), at least 1.1 * capacity
///
/// with the viewer's rate in place of a capacity that is not known any more.
///
/// No I/O, no clock.
class PacingControl {
 public:
  base::BitRate next(const Observation& observation, const PathState& path, base::BitRate rate,
                     base::Time now);

 private:
  base::BitRate pace(const Observation& observation, const PathState& path, base::BitRate highest,
                     base::Time now);

  base::Time lost_at_{};  ///< last DUPACK event
};

}  // namespace abr
