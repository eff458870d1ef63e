#pragma once

#include <cstdint>

#include "base/units.h"

namespace netlab {

/// Controlled Delay (RFC 8289): drops at the head of a queue whose packets have waited longer than
/// kTarget for a whole kInterval, ever more often until they wait less. Pure.
class CoDel {
 public:
  static constexpr base::Duration kTarget = std::chrono::milliseconds{5};
  static constexpr base::Duration kInterval = std::chrono::milliseconds{100};

  /// Whether the packet at the head, which has waited `sojourn`, is to be dropped. `queued`: bytes,
  /// it included.
  bool drops(base::Duration sojourn, base::ByteCount queued, base::Time now);

 private:
  bool above(base::Duration sojourn, base::ByteCount queued, base::Time now);
  base::Time next_drop(base::Time after) const;

  base::Time first_above_{};  ///< when it will have been above for an interval; zero: it is not
  base::Time drop_next_{};
  std::uint32_t count_ = 0;  ///< drops since dropping began
  std::uint32_t last_count_ = 0;
  bool dropping_ = false;
};

}  // namespace netlab
