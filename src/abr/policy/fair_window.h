#pragma once

#include <optional>

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// The congestion window that a busy flow of CUBIC would have in our place, next to cross traffic
/// (RFC 9438, 4). TCP grows a window only while it is full, which that of video seldom is: it would
/// fall behind the windows beside it, and with it our share. Until the first loss nothing says how
/// many others there are, and the window is that of the highest rate that may be ours.
/// No I/O, no clock.
class FairWindow {
 public:
  /// Segments; 0 without cross traffic. `most`: payload rate that is ours at most.
  double next(const Observation& observation, const PathState& path, base::BitRate most,
              base::Time now);

 private:
  bool is_congested(const Observation& observation, const PathState& path, base::Time now);
  void reduce(base::Time now);
  void grow(const Observation& observation, base::Time now);

  double window_ = 0;                ///< segments
  double max_ = 0;                   ///< W_max: the window before the last reduction
  double k_ = 0;                     ///< K: seconds from a reduction until the window is W_max
  double reno_ = 0;                  ///< W_est: the window that Reno would have
  std::optional<base::Time> epoch_;  ///< last reduction
  base::Time grown_at_{};
  base::Time reduce_again_at_{};
  base::Duration longest_queue_{};
};

}  // namespace abr
