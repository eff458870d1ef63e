#pragma once

#include <cstdint>
#include <optional>

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// Whether what is sent arrives. Next to cross traffic, a higher rate wins more of the queue, and
/// so arrives; on a path that is ours alone and slower than the rate, it only makes the queue
/// longer. No I/O, no clock.
class ArrivalCheck {
 public:
  /// Whether the rate before the last step has arrived. `rate`: video rate since that step. Call it
  /// a round trip or a little more after the step: data that arrives in this time was sent before
  /// it.
  bool passes(const Observation& observation, base::BitRate rate, base::Time now);
  /// The rate on the wire that arrives, if that was much less than was sent for a few round trips,
  /// in which nothing shows that others fill the queue. For each observation with cross traffic.
  std::optional<base::BitRate> shortfall(const Observation& observation, const PathState& path,
                                         base::Time now);

 private:
  /// Counts for a few round trips what is sent and what arrives.
  struct Span {
    base::Time begin{};
    base::Time end{};
    base::ByteCount delivered;    ///< when it began
    base::ByteCount undelivered;  ///< when it began
    std::uint32_t retransmits = 0;
  };

  base::BitRate before_;  ///< video rate before the last step
  base::Time since_{};
  base::ByteCount delivered_;
  std::optional<Span> span_;
};

}  // namespace abr
