#pragma once

#include <optional>
#include <vector>

#include "media/frame.h"

namespace transcoder {

/// Decides which frames are keyframes: the first one at or after each multiple ("tick") of
/// `interval`, so that keyframes are aligned in all groups of a stream, and the first one at or
/// after each scheduled pts. No I/O, no clock.
class KeyframeClock {
 public:
  enum class Cause { kNone, kOpened, kClock, kScheduled };

  /// `forced_interval`: minimum time between scheduled keyframes.
  KeyframeClock(base::Duration interval, base::Duration forced_interval)
      : interval_{interval}, forced_interval_{forced_interval} {}

  /// Why the frame at `pts` is a keyframe; kNone if it is not. Call once per encoded frame.
  /// `opened`: whether it is the first frame of a new encoder.
  Cause take(media::Pts pts, bool opened);

  /// See EncodeGroup::schedule_keyframe.
  media::Pts schedule(media::Pts earliest) { return schedule(earliest, last_keyframe_); }
  /// Schedules a keyframe for viewers that can show nothing before one. The minimum time counts
  /// only from the last scheduled keyframe, not from those of the clock.
  void schedule_recovery(media::Pts earliest) { schedule(earliest, last_forced_); }

 private:
  media::Pts schedule(media::Pts earliest, std::optional<media::Pts> last);
  media::Pts tick_before(media::Pts pts) const { return pts / interval_ * interval_; }
  /// The last keyframe before `earliest`, among `last` and the planned keyframes.
  std::optional<media::Pts> known_before(media::Pts earliest, std::optional<media::Pts> last) const;

  const base::Duration interval_;
  const base::Duration forced_interval_;
  std::optional<media::Pts> last_;           ///< newest frame
  std::optional<media::Pts> last_keyframe_;  ///< newest keyframe
  std::optional<media::Pts> last_forced_;    ///< newest scheduled keyframe
  std::vector<media::Pts> scheduled_;        ///< in the future; rising, forced_interval_ apart
};

}  // namespace transcoder
