#pragma once

#include <chrono>
#include <optional>

#include "base/units.h"
#include "transcoder/ingest/ingest_output.h"

namespace transcoder {

/// Interval of repeated pictures while none come. Five per second keep every player we know from
/// timing out and cost next to nothing, because nothing moves.
inline constexpr base::Duration kRepeatInterval = std::chrono::milliseconds{200};

/// When the last picture is repeated. Not thread-safe.
class RepeatRule {
 public:
  explicit RepeatRule(base::Time now) : called_{now} {}

  /// Call every kRepeatInterval. `sends`: the source is connected and its pictures are on time.
  /// Returns for how long no picture may have come for it to be repeated. nullopt if the call is
  /// late, as the whole server was held up, but then only once: the source has a picture to send,
  /// and a repeat before it would stand alone for half of kFreezeTime.
  std::optional<base::Duration> quiet(bool sends, base::Time now) {
    const bool late = now - called_ > 2 * kRepeatInterval;
    called_ = now;
    held_up_ = late && !held_up_;
    if (held_up_) return {};
    return sends ? kFreezeTime : kRepeatInterval;
  }

 private:
  base::Time called_;
  bool held_up_ = false;
};

}  // namespace transcoder
