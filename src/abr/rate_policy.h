#pragma once

#include <cstdint>

#include "abr/observation.h"
#include "abr/path_state.h"
#include "abr/reason.h"
#include "abr/settings.h"
#include "base/units.h"

namespace abr {

/// Of Decision::padding: media::kMaxPaddingBytes, 85 TS packets.
inline constexpr base::ByteCount kMostPadding{15'980};

/// What the viewer can take, and why.
struct Decision {
  base::BitRate rate;
  Reason reason = Reason::kHold;  ///< kHold: as before
  base::BitRate sustains;    ///< what a shared group may count on, drains aside; zero: as `rate`
  unsigned skip = 0;         ///< frames not to be encoded; in a shared group the viewer pauses
  bool discard = false;      ///< what the kernel has not taken is too late
  base::ByteCount padding;   ///< to lengthen the next frame with: it is to be a train
  std::uint32_t window = 0;  ///< segments that TCP's window should have; 0: it is right
  base::BitRate pacing;      ///< that TCP should not exceed; zero: none
};

/// The rule for one viewer's rate. Pure: `now` and observations in, decision out; one instance per
/// viewer, used on one thread. The settings' limits always hold.
class RatePolicy {
 public:
  virtual ~RatePolicy() = default;
  /// `path` has seen the observation.
  virtual Decision decide(const Observation& observation, const PathState& path,
                          base::Time now) = 0;
};

}  // namespace abr
