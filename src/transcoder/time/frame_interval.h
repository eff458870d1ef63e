#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/units.h"
#include "media/frame.h"

namespace transcoder {

/// How long a picture lasts, from the timestamps of the last pictures: the bits of one picture are
/// the rate times this. Steady under jitter and pulldown patterns; follows a frame rate that rises
/// within 3 pictures, because a picture then must become smaller at once.
class FrameInterval {
 public:
  /// `nominal`: taken until two pictures have been seen.
  explicit FrameInterval(base::Duration nominal) : estimate_{nominal} {}

  /// The estimate at the picture that has just come.
  base::Duration update(media::Pts pts);
  /// Whether it is of as many pictures as it can be.
  bool is_measured() const { return count_ == kWindow; }

 private:
  std::span<const base::Duration> last(std::size_t count) const;

  /// Long enough to hold two periods of 3:2 pulldown and of a 5-in-6 decimation.
  static constexpr std::size_t kWindow = 12;

  std::array<base::Duration, kWindow> intervals_{};  ///< oldest first, `count_` of them
  std::size_t count_ = 0;
  media::Pts previous_{};
  bool started_ = false;
  base::Duration estimate_;
};

}  // namespace transcoder
