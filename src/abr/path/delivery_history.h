#pragma once

#include <array>
#include <cstddef>

#include "base/units.h"

namespace abr {

/// How much a connection had delivered when, for the last observations. Pure.
class DeliveryHistory {
 public:
  struct Snapshot {
    base::Time at{};
    base::ByteCount delivered;    ///< of the connection
    base::ByteCount outstanding;  ///< in flight then, or about to be
  };

  /// Marks that follow closely and have no more to be delivered are left out.
  void add(const Snapshot& snapshot);
  /// The newest that is not after `time`; null: none so old is kept.
  const Snapshot* before(base::Time time) const;

 private:
  // 0.6 s of acknowledgements that come all the time, 1.5 s with a frame that leaves and two
  // other observations, 30 times a second: longer round trips have no snapshot that is old enough.
  static constexpr base::Duration kApart = std::chrono::milliseconds{5};
  static constexpr std::size_t kSnapshots = 128;

  std::array<Snapshot, kSnapshots> snapshots_{};  ///< ring
  std::size_t count_ = 0;
};

}  // namespace abr
