#pragma once

#include <cstdint>

#include "abr/observation.h"
#include "abr/path_state.h"
#include "abr/policy/fair_window.h"
#include "base/units.h"

namespace abr {

/// Chooses the congestion window that eBPF sets. No I/O, no clock.
///
/// TCP grows its window only while the window limits it, which is rare for video. A loss that no
/// queue caused, or a slow start that ended early, leaves the window smaller than the path needs.
/// After a leap of the rate, TCP's own pacing (1.2-2 x cwnd/RTT) would hide from packet trains how
/// much more the path carries.
///
/// Next to cross traffic it is the window that a busy flow would have (FairWindow), as far as the
/// next step of the rate needs it.
///
/// BBR is otherwise only renewed: it stops sending to measure the minimum RTT (PROBE_RTT), which
/// makes frames late. When a window is set it starts again with the connection's minimum RTT
/// (tcp_min_rtt()).
class WindowControl {
 public:
  /// The decision that the window has to allow.
  struct Demand {
    base::BitRate rate;
    base::BitRate ceiling;  ///< highest rate that the settings and the path allow
    base::BitRate share;    ///< highest rate on the wire that may be ours next to cross traffic
    bool quiet = false;     ///< next to nothing waits
    bool leaps = false;     ///< the rate has just risen by more than kBlindStep
  };

  /// The rate falls. If the path has a queue, it may cause losses for a while.
  void note_fall(const Observation& observation, const PathState& path, base::Time now);
  /// Segments; 0 leaves the window as it is.
  std::uint32_t next(const Observation& observation, const PathState& path, const Demand& demand,
                     base::Time now);

 private:
  std::uint32_t enlarge(const Observation& observation, const PathState& path, const Demand& demand,
                        base::Time now);
  std::uint32_t share(const Observation& observation, const Demand& demand, double fair,
                      base::Time now);
  std::uint32_t renew(const Observation& observation, const PathState& path, const Demand& demand,
                      base::Time now);

  FairWindow fair_window_;
  std::uint32_t window_ = 0;   ///< last window that was set
  base::Time set_again_at_{};  ///< that window, or a smaller one, is not set before
  base::Time congested_at_{};  ///< last fall with a queue in the path
  base::Time renew_at_{};      ///< BBR is not renewed before
};

}  // namespace abr
