#pragma once

#include <optional>

#include "base/units.h"

namespace server {

/// The time of one loop that responses may take: half of it. Clients can ask for pages and
/// segments without end, and each core that they keep busy is one that encoders, whose threads have
/// a lower priority, wait for. Streams do not count: viewers cannot ask for more than there is.
/// Used on the loop's thread. No clock.
class WritingTime {
 public:
  /// Responses are written for this time, then rest for as long: far less than a frame lasts. The
  /// rests cost nothing: with fewer calls of epoll, clients got 85 GB in place of 69 (bench/hostile
  /// clients pipeline).
  static constexpr base::Duration kSpell = std::chrono::milliseconds{1};

  /// A response was written from `begin` to `end`, which includes what other threads took between.
  /// Returns how long all have to rest now, if they do; then call rested().
  std::optional<base::Duration> wrote(base::Time begin, base::Time end);
  void rested() { resting_ = false; }
  bool resting() const { return resting_; }

 private:
  bool resting_ = false;
  base::Duration spent_{};
  base::Time last_{};  ///< end of the last write
};

}  // namespace server
