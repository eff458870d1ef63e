#pragma once

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// Lengthens frames that are too short for a packet train when nothing else shows the capacity.
/// Padding is earned: it costs a small share of what the connection delivers. No I/O, no clock.
class TrainPadding {
 public:
  /// Earns padding with the bytes delivered since the last call. For each observation.
  void earn(const Observation& observation);
  /// The bytes that make the next frame, of video at `rate`, a packet train; they are spent. Zero
  /// if the capacity is known from recent frames, a probe has just been made, the frame is long
  /// enough, or too little has been earned.
  base::ByteCount spend(const Observation& observation, const PathState& path, base::BitRate rate,
                        base::Time now);

 private:
  void note_probe(base::BitRate capacity, base::Time now);

  base::ByteCount delivered_;  ///< Observation::delivered at the last call of earn()
  base::ByteCount earned_;     ///< and not spent
  base::Time probed_at_{};     ///< the last frame that was lengthened
  base::BitRate probed_;       ///< the capacity before that frame
  base::Duration wait_{};      ///< before the next probe while frames agree with the capacity
};

}  // namespace abr
