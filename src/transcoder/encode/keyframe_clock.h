#pragma once

#include <optional>
#include <vector>

#include "media/frame.h"

namespace transcoder {

/// Says which pictures are keyframes: the first one at or after each multiple ("tick") of
/// `interval`, so that they are aligned in all groups of a stream, and at or after each pts that
/// was scheduled between. Pure.
class KeyframeClock {
 public:
  enum class Cause { kNone, kOpened, kClock, kScheduled };

  KeyframeClock(base::Duration interval, base::Duration forced_interval)
      : interval_{interval}, forced_interval_{forced_interval} {}

  /// The picture at `pts` is encoded now; kNone: as an ordinary one. `opened`: by a new encoder.
  Cause take(media::Pts pts, bool opened);

  /// See EncodeGroup::schedule_keyframe.
  media::Pts schedule(media::Pts earliest) { return schedule(earliest, last_keyframe_); }
  /// For who can show nothing before one: the interval counts from the last one of schedule() or
  /// here, whatever keyframes have come by themselves.
  void schedule_recovery(media::Pts earliest) { schedule(earliest, last_forced_); }

 private:
  media::Pts schedule(media::Pts earliest, std::optional<media::Pts> last);
  media::Pts tick_before(media::Pts pts) const { return pts / interval_ * interval_; }
  /// Of `last` and the keyframes that will be, the last one before `earliest`.
  std::optional<media::Pts> known_before(media::Pts earliest, std::optional<media::Pts> last) const;

  const base::Duration interval_;
  const base::Duration forced_interval_;
  std::optional<media::Pts> last_;           ///< newest picture
  std::optional<media::Pts> last_keyframe_;  ///< newest keyframe
  std::optional<media::Pts> last_forced_;    ///< newest that was scheduled
  std::vector<media::Pts> scheduled_;        ///< rising, forced_interval_ apart; none is past
};

}  // namespace transcoder
