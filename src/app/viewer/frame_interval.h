#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>

#include "base/units.h"
#include "media/packet.h"

namespace app {

/// The time between a viewer's frames: the least of the last three, for a longer one is a gap, or
/// has come to stay. Within what the configuration allows (1 to 120 frames per second) as far as
/// control has a use for it.
class FrameInterval {
 public:
  void add(media::Pts pts) {
    if (last_ && pts > *last_) intervals_[next_++ % intervals_.size()] = pts - *last_;
    last_ = pts;
  }
  base::Duration value() const {
    return std::clamp(*std::ranges::min_element(intervals_), kLeast, kMost);
  }

 private:
  static constexpr base::Duration kLeast = std::chrono::milliseconds{8};
  static constexpr base::Duration kMost = std::chrono::milliseconds{200};
  static constexpr base::Duration kAtFirst = std::chrono::milliseconds{33};

  std::optional<media::Pts> last_;
  std::array<base::Duration, 3> intervals_{kAtFirst, kAtFirst, kAtFirst};
  std::size_t next_ = 0;
};

}  // namespace app
