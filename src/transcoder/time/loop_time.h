#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// Joins the rounds of a looping file into one continuous timeline: each round's first picture
/// follows the previous round's last picture by one frame interval, and audio keeps its offset from
/// the pictures. No I/O, no clock.
class LoopTime {
 public:
  /// The time of a picture on the timeline. `time`: in the current round.
  base::Duration picture(base::Duration time);
  /// The time of audio on the timeline; nullopt before the round's first picture.
  std::optional<base::Duration> audio(base::Duration time) const;

  void next_round();
  /// Whether this round has had a picture.
  bool any() const { return origin_.has_value(); }

 private:
  std::optional<base::Duration> origin_;                  // time of this round's first picture
  base::Duration start_{};                                // of this round, on the timeline
  base::Duration last_{};                                 // last picture, on the timeline
  base::Duration frame_ = std::chrono::milliseconds{40};  // interval; a guess for one picture
};

}  // namespace transcoder
