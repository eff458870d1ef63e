#pragma once

#include <cstddef>

#include "base/ring.h"
#include "base/units.h"

namespace abr {

/// The bytes that a connection had delivered at its recent observations. No I/O, no clock.
class DeliveryHistory {
 public:
  struct Snapshot {
    base::Time at{};
    base::ByteCount delivered;    ///< since the connection began
    base::ByteCount outstanding;  ///< in flight, or about to be
  };

  /// Ignores a snapshot right after another one, unless more data has been sent since.
  void add(const Snapshot& snapshot);
  /// The newest snapshot that is not after `time`; nullptr when none that old is kept.
  const Snapshot* before(base::Time time) const;

 private:
  /// 128 snapshots, 5 ms apart, cover 0.6 s of continuous ACKs, or 1.5 s of three observations for
  /// each of 30 frames per second. Paths with longer round trips have no snapshot old enough: fewer
  /// snapshots or a smaller gap exclude more of them, a larger gap blurs short spans of time. Not
  /// measured against other values.
  static constexpr base::Duration kMinSnapshotGap = std::chrono::milliseconds{5};
  static constexpr std::size_t kMaxSnapshots = 128;

  /// Older ones matter only on round trips of seconds. Calm viewers, who are seldom sampled, keep
  /// few.
  static constexpr base::Duration kKeptFor = std::chrono::seconds{4};

  base::Ring<Snapshot>
      snapshots_;  ///< oldest first; one is at least kKeptFor old, if there was one
};

}  // namespace abr
