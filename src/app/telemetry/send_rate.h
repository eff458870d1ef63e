#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "base/units.h"

namespace app {

/// What was sent to a viewer in the last second, by looking at the total again and again. Pure.
class SendRate {
 public:
  /// `sent`: in all. Over less than a second where the first look is not that long ago; empty: this
  /// is the first, or nobody has looked for a second.
  std::optional<base::BitRate> look(base::ByteCount sent, base::Time now) {
    while (!looks_.empty() && now - looks_.front().at > kSecond) looks_.pop_front();
    looks_.push_back({sent, now});
    const auto& first = looks_.front();
    if (now <= first.at) return {};
    return base::BitRate::of(sent - first.sent, now - first.at);
  }

 private:
  struct Look {
    base::ByteCount sent;
    base::Time at;
  };
  // And half a frame's time, by which a look may be late.
  static constexpr base::Duration kSecond = std::chrono::milliseconds{1020};

  std::deque<Look> looks_;  ///< of the last second: as many as are made in it
};

}  // namespace app
