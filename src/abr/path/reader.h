#pragma once

#include <optional>

#include "abr/observation.h"
#include "base/units.h"

namespace abr {

/// Detects a player that reads more slowly than it is sent to: its receive window is closed most of
/// the time, and less gets through than the stream has. A player may read in large pieces, so its
/// rate is that between the beginnings of two of them. One that reads nothing for
/// kLongestReaderPause is paused, which says nothing about the rate that it can take. The rate that
/// was read holds for a while. After that it grows in small steps, because nothing else shows
/// whether the player has become faster. Each time that it has not, the hold doubles. No I/O, no
/// clock.
class Reader {
 public:
  /// For each observation.
  void update(const Observation& observation, base::Time now);
  /// The rate that the player reads, with container and audio; zero while it is not the limit.
  base::BitRate rate() const { return rate_; }

 private:
  struct Spell {
    base::Time begin{};
    base::ByteCount delivered;  ///< when it began
    base::Time grown_at{};      ///< when bytes were last delivered
    base::Duration longest_pause{};
  };

  bool grow(const Observation& observation, base::ByteCount before, base::Time now);
  bool judge(const Observation& observation, base::BitRate read, base::Duration length,
             base::Time now);
  void found(base::BitRate rate, base::Time now);
  void pass_time(base::Time now);

  std::optional<Spell> spell_;  ///< in which the receive window was closed most of the time
  base::Time closed_at_{};      ///< newest observation with a closed window
  base::ByteCount delivered_;   ///< at the newest observation
  base::BitRate rate_;
  base::BitRate found_;    ///< the rate that was last read
  base::Duration hold_{};  ///< how long a rate holds; 0 before the first
  base::Time grows_at_{};
};

}  // namespace abr
