#pragma once

#include <cstdint>
#include <optional>

#include "media/frame.h"
#include "transcoder/time/clock_anchor.h"
#include "transcoder/time/media_clock.h"

namespace transcoder {

/// Maps a source's timestamps to the stream's timeline with one offset for pictures and audio, so
/// that a picture's pts is its capture time on the stream's clock. The pts of pictures strictly
/// increases, even when the source's clock jumps, the source loops or reconnects. No I/O, no clock.
///
///                 first picture                      arrival jitter, drift
///   unanchored ------------------> settling --1 s--> anchored: the offset moves <= 500 ppm
///       ^                         ^  early pictures   |
///       | restart()               |  pull the offset  | clock backwards, or > 1 s off
///       +-- (new connection) -----+-------------------+
///
/// A repeat may pass a picture that is late. Pictures that stay behind repeats for half a second
/// are late for good, and get another offset.
///
/// Arguments `source` are timestamps of the source; `captured` and `now` are monotonic.
class Timeline {
 public:
  explicit Timeline(StreamClock clock) : clock_{clock} {}

  /// The pts of a picture; nullopt if it is out of order and must be dropped.
  std::optional<media::Pts> picture(base::Duration source, base::Time captured);
  /// The pts of audio; nullopt before the first picture, before pts 0, or more than 2 s off.
  std::optional<media::Pts> audio(base::Duration source, base::Time captured) const;
  /// The pts of a repeated picture; nullopt if the timeline has already reached `now`.
  std::optional<media::Pts> repeat(base::Time now);

  /// Forgets the source's clock, because a new connection may have another one.
  void restart() { anchored_ = false; }

  /// Number of jumps of the source's clock.
  std::uint64_t jumps() const { return jumps_; }
  /// How often pictures whose times went on came more than 1 s late, or behind repeats for good, or
  /// caught up by as much: the source, its network or this server had stalled.
  std::uint64_t stalls() const { return stalls_; }

 private:
  bool is_off(base::Duration source, base::Duration early) const;
  bool jumped(base::Duration source, media::Pts wall) const;
  void anchor(base::Duration source, media::Pts wall);
  std::optional<media::Pts> advance_to(media::Pts pts);
  bool stays_behind(media::Pts wall);

  const StreamClock clock_;
  bool anchored_ = false;
  ClockAnchor anchor_;
  media::Pts settled_{};  // end of settling
  base::Duration last_source_{};
  media::Pts last_wall_{};  ///< arrival of that picture
  std::optional<media::Pts> last_;
  std::optional<media::Pts> behind_since_;  ///< arrival of the first picture behind a repeat
  std::uint64_t jumps_ = 0;
  std::uint64_t stalls_ = 0;
};

}  // namespace transcoder
