#pragma once

#include <optional>

#include "media/frame.h"

namespace transcoder {

/// Says which pictures are keyframes: the first one at or after each multiple of `interval` (so
/// they are aligned in all groups of a stream), and those that are scheduled between. Pure.
class KeyframeClock {
 public:
  enum class Cause { kNone, kOpened, kClock, kScheduled };

  KeyframeClock(base::Duration interval, base::Duration forced_interval)
      : interval_{interval}, forced_interval_{forced_interval} {}

  /// The picture at `pts` is encoded now; kNone: as an ordinary one. `opened`: by a new encoder.
  Cause take(media::Pts pts, bool opened);

  /// See EncodeGroup::schedule_keyframe.
  media::Pts schedule(media::Pts earliest);

 private:
  bool crosses_tick(media::Pts pts) const { return pts / interval_ != *last_ / interval_; }
  media::Pts next_tick() const { return (*last_ / interval_ + 1) * interval_; }

  const base::Duration interval_;
  const base::Duration forced_interval_;
  std::optional<media::Pts> last_;  ///< newest picture
  media::Pts last_keyframe_{};
  std::optional<media::Pts> scheduled_;
};

}  // namespace transcoder
