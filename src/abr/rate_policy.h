#pragma once

#include <cstdint>

#include "abr/observation.h"
#include "abr/path_state.h"
#include "abr/reason.h"
#include "abr/settings.h"
#include "base/units.h"

namespace abr {

/// Largest Decision::padding: the 85 TS packets that src/media keeps ready. Enough for a packet
/// train of 8 segments of 1448 bytes; a smaller limit would leave some frames too short for one, a
/// larger one is never used.
inline constexpr base::ByteCount kMaxPadding{15'980};

/// The rate that the viewer can take, and why.
struct Decision {
  base::BitRate rate;
  Reason reason = Reason::kHold;  ///< kHold: the rate is unchanged
  base::BitRate sustains;         ///< the rate that the viewer can take for long; 0: `rate`
  /// Time from now in which no frame is to be encoded. In a shared group the viewer's are not sent.
  base::Duration pause{};
  bool discard = false;      ///< data that the kernel has not taken is too late
  base::ByteCount padding;   ///< lengthens the next frame to a packet train
  std::uint32_t window = 0;  ///< congestion window to set, in segments; 0 leaves it
  base::BitRate pacing;      ///< TCP's pacing limit; 0 means no limit
};

/// The rule for one viewer's rate: observations in, decisions out. No I/O, no clock. One instance
/// per viewer, used on one thread. The rate stays within the settings' limits.
class RatePolicy {
 public:
  virtual ~RatePolicy() = default;
  /// `path` includes the observation.
  virtual Decision decide(const Observation& observation, const PathState& path,
                          base::Time now) = 0;
  /// The operator has changed the limits: the next decision is within them. By default a policy
  /// keeps those that it began with.
  virtual void set_limits(const RateLimits& /*limits*/) {}
};

}  // namespace abr
