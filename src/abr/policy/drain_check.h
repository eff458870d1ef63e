#pragma once

#include <cstdint>
#include <optional>

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// While cross traffic is assumed, checks now and then, and when the queue has grown, whether it is
/// there: others may have gone, or never come, and a queue of our own looks like theirs. It lowers
/// our rate for a moment. A queue of our own drains, which ends the cross traffic (CrossTraffic),
/// and delivers as much as before until it has. Others fill theirs again, and what we get falls
/// with what we send. No I/O, no clock.
class DrainCheck {
 public:
  /// The most that a check allows, or `rate` between checks. For each observation with cross
  /// traffic.
  base::BitRate allowed(const Observation& observation, const PathState& path, base::BitRate rate,
                        base::Time now);
  bool runs() const { return most_.bps() > 0; }
  /// The rate before a check that has just shown that others are there, or a step more than arrived
  /// then, if that is less. Otherwise 0.
  base::BitRate regained() const { return regained_; }
  /// There is no cross traffic.
  void reset() { *this = {}; }

 private:
  struct Delivery {
    base::Time at{};
    base::ByteCount bytes;  ///< delivered since the connection began
    base::BitRate until(const Delivery& later) const;
  };

  bool is_due(double queue, bool may_be_ours, base::Time now) const;
  void begin(const Observation& observation, const PathState& path, base::BitRate rate,
             base::Time now);
  bool shows_others(const Observation& observation, double queue, base::Time now);
  base::BitRate carried_before(const Observation& observation, base::Time now) const;
  bool is_over(double queue, base::Time now) const;

  base::Duration pause_{};  ///< before the next check; 0 before cross traffic was seen
  base::Time next_{};       ///< when the next check begins
  base::BitRate most_;      ///< while a check runs, otherwise 0
  base::BitRate before_;    ///< the rate before the last check
  base::BitRate regained_;  ///< see regained()
  double queue_ = 0;        ///< seconds; when the last check began, or cross traffic was found
  double shortest_ = 0;     ///< seconds; the shortest queue since the check began
  double kept_ = 1;         ///< share of `before_` that the check leaves
  Delivery began_;          ///< when the last check began
  std::optional<Delivery> arrived_;  ///< since when data arrives that was sent in the check
  base::Time arrives_at_{};          ///< when the first of it arrives
  std::uint32_t retransmits_ = 0;    ///< at the last observation
  base::Time ended_{};               ///< when the last check ended
  base::Time drained_at_{};          ///< when a queue of our own has drained
};

}  // namespace abr
