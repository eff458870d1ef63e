#pragma once

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// How often a viewer's connection has to be sampled. A viewer is calm while nothing waits on the
/// path, nothing is lost, the path carries twice the stream, and the RTT and the rate that they can
/// take stay about the same. The longer a viewer has been calm, the less often they are sampled. As
/// soon as they are not calm, every frame needs a sample. No I/O, no clock.
class SampleInterval {
 public:
  /// The longest interval. Evidence of the capacity counts for 1 s (CapacityEstimator), so two
  /// samples may fall into that time. A longer interval shows a change later; a shorter one costs
  /// more. Not measured against other values. At 30 frames per second, one of 15 frames is sampled.
  static constexpr base::Duration kMax = std::chrono::milliseconds{500};
  /// The longest interval if the kernel watches the RTT. A change of the path shows in the RTT, in
  /// a loss or in unsent frames, and all of them wake us, so that the interval matters little: 1, 2
  /// and 4 s have the same delays (`sim_table --random 7001 --count 600 --seeds 1 --shared
  /// --ceiling 0.3 --policy symbiosis`). A longer one lets statistics grow old.
  static constexpr base::Duration kMaxWatched = std::chrono::seconds{2};

  /// `steered`: the next frame depends on what the samples show, so each frame needs one. `rate`:
  /// the rate that the viewer sustains.
  void update(const Observation& observation, const PathState& path, base::BitRate rate,
              bool steered, base::Time now);

  /// No sample is needed before, unless an event comes or a whole frame waits for the kernel to
  /// take it. Zero if every frame needs one.
  base::Time next() const { return next_; }
  /// A longer smoothed RTT ends the calm.
  base::Duration rtt_limit() const { return rtt_limit_; }
  /// For how long the viewer has been calm. `now` as in update().
  base::Duration calm_for(base::Time now) const { return now - calm_since_; }

 private:
  bool is_calm(const Observation& observation, const PathState& path, base::BitRate rate) const;

  base::Time calm_since_{};
  base::BitRate calm_rate_;     ///< the viewer's sustainable rate when the calm began
  base::Duration rtt_limit_{};  ///< zero before the first sample
  base::Time next_{};
};

}  // namespace abr
