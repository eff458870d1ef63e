#pragma once

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// How often a viewer's connection has to be sampled. A viewer is calm while nothing waits on the
/// path, nothing is lost, the path carries twice the stream, and the rate that they can take stays
/// about the same. The longer a viewer has been calm, the less often they are sampled. As soon as
/// they are not calm, every frame needs a sample. No I/O, no clock.
class SampleInterval {
 public:
  /// The longest interval. Evidence of the capacity counts for 1 s (CapacityEstimator), so two
  /// samples may fall into that time. A longer interval shows a change later; a shorter one costs
  /// more. At 30 frames per second, one of 15 frames is sampled.
  static constexpr base::Duration kMax = std::chrono::milliseconds{500};

  /// `steered`: the next frame depends on what the samples show, so each frame needs one. `rate`:
  /// what the viewer can take.
  void update(const Observation& observation, const PathState& path, base::BitRate rate,
              bool steered, base::Time now);

  /// No sample is needed before, unless an event comes or a whole frame waits for the kernel to
  /// take it.
  base::Time next() const { return next_; }
  /// For how long the viewer has been calm. `now` as in update().
  base::Duration calm_for(base::Time now) const { return now - calm_since_; }

 private:
  bool is_calm(const Observation& observation, const PathState& path, base::BitRate rate) const;

  base::Time calm_since_{};
  base::BitRate calm_rate_;  ///< what the viewer could take when the calm began
  base::Time next_{};
};

}  // namespace abr
