#pragma once

#include <cstdint>

#include "base/units.h"

namespace netlab {

/// Controlled Delay (RFC 8289): when packets have waited longer than kTarget for a whole kInterval,
/// drops at the head of the queue, ever more often until they wait less. No I/O, no clock.
class CoDel {
 public:
  static constexpr base::Duration kTarget = std::chrono::milliseconds{5};
  static constexpr base::Duration kInterval = std::chrono::milliseconds{100};

  /// Whether to drop the packet at the head, which has waited `sojourn`. `queued` bytes include it.
  bool drops(base::Duration sojourn, base::ByteCount queued, base::Time now);

 private:
  bool above(base::Duration sojourn, base::ByteCount queued, base::Time now);
  base::Time next_drop(base::Time after) const;

  base::Time
      first_above_{};  ///< when the wait will have been too long for an interval; zero if it is not
  base::Time drop_next_{};
  std::uint32_t count_ = 0;  ///< drops since dropping began
  std::uint32_t last_count_ = 0;
  bool dropping_ = false;
};

}  // namespace netlab
