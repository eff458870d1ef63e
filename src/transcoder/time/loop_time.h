#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// Joins the rounds of a file that is played again and again into one line of time: each round's
/// first picture follows the last one's last picture by one frame, and audio keeps its distance to
/// the pictures. Pure.
class LoopTime {
 public:
  base::Duration picture(base::Duration time);
  /// Empty before the round's first picture.
  std::optional<base::Duration> audio(base::Duration time) const;

  void next_round();
  /// Whether this round had a picture.
  bool any() const { return origin_.has_value(); }

 private:
  std::optional<base::Duration> origin_;                  // of this round: its first picture's time
  base::Duration start_{};                                // of this round on the line
  base::Duration last_{};                                 // picture's place on the line
  base::Duration frame_ = std::chrono::milliseconds{40};  // until two pictures tell
};

}  // namespace transcoder
