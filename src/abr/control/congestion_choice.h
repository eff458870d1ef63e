#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "abr/congestion_control.h"
#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// Changes a connection's congestion control while it runs (tcp.congestion_control = "auto").
/// NetworkHistory chooses the first one; where nothing is known that is BBR, which holds its rate
/// beside others and under random loss.
///
///   BBR to CUBIC   BBR's pacing hides the path: packet trains have shown more than they can leave
///                  at, they disagree, nothing is lost, nobody else is on the path, and ten round
///                  trips (BBR's memory of the bandwidth) are less than a few frames. Where ACKs
///                  come in bunches, BBR then forgets what the path carries.
///   CUBIC to BBR   segments are lost although the path has no queue: CUBIC takes each such loss
///                  for a sign of congestion. Or others have come since the change from BBR.
///
/// After a change there is none for a while, longer after each one; a change back because others
/// have come does not wait. No I/O, no clock; one thread.
class CongestionChoice {
 public:
  /// Returns the congestion control to change to, if any. Observation::bbr tells whether the
  /// connection has changed.
  std::optional<CongestionControl> update(const Observation& observation, const PathState& path,
                                          base::Time now);

 private:
  /// Sums since `begin`.
  struct Window {
    base::Time begin{};
    base::Duration hidden{};        ///< for how long pacing hid the path
    base::Duration shared{};        ///< for how long others were on the path
    std::uint64_t lost = 0;         ///< segments
    std::uint64_t lost_calmly = 0;  ///< of them, without a queue
    std::uint64_t delivered = 0;    ///< bytes
  };

  void add(const Observation& observation, const PathState& path, base::Time now);
  bool should_change(const Observation& observation, base::Time now) const;
  bool pacing_hides_path(const Observation& observation) const;

  Window window_;
  std::optional<base::Time> last_;  ///< observation
  std::uint32_t retransmits_ = 0;   ///< Observation::retransmits of the last one
  base::ByteCount delivered_;       ///< Observation::delivered of the last one
  base::Time not_before_{};         ///< no change
  base::Duration pause_ = std::chrono::seconds{20};
  bool left_bbr_ = false;  ///< for CUBIC, because nobody else was on the path
};

}  // namespace abr
