#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "transcoder/time/fragment_clock.h"

namespace transcoder {

/// Follows one track, or several of one file, through the rounds of an HLS source: maps the times
/// in the media to the timeline of all tracks, which goes on where those jump.
///
///   step of the media's times   place in the playlist   meaning
///   small                       -                       the track goes on
///   up to kMaxTrackGap          any other               segments are missing
///   up to kMaxTrackGap          behind the last data    a new round
///   backwards, or larger        up to kMaxTrackGap on   a new round, after a gap
///   backwards, or larger        any other               a new round
///
/// The playlist is no clock: its durations may be rounded, and sum up.
/// Used on one thread. No I/O, no clock.
class FragmentPosition {
 public:
  explicit FragmentPosition(std::shared_ptr<FragmentClock> clock) : clock_{std::move(clock)} {}

  /// The time of data on the timeline of all tracks. `media`: their time in the media, which may
  /// wrap. `arrival`: their time by the playlist, if it announces a discontinuity there.
  base::Duration timeline(base::Duration media, std::optional<base::Duration> arrival = {});

  /// Reordered pictures step back by less, and no frame is longer.
  static constexpr base::Duration kMaxTrackStep = std::chrono::seconds{1};
  /// More than two segments, which last up to 10 s. A longer gap of the times is a new round.
  static constexpr base::Duration kMaxTrackGap = std::chrono::seconds{20};
  /// The playlist knows of no gap if it places the data at most this far from the end of the
  /// others.
  static constexpr base::Duration kMaxError = std::chrono::seconds{2};

 private:
  base::Duration after_jump(std::optional<base::Duration> arrival) const;
  bool goes_on(base::Duration step, std::optional<base::Duration> arrival) const;

  const std::shared_ptr<FragmentClock> clock_;
  FragmentClock::Track place_;
  base::Duration media_{};
  base::Duration running_{};  ///< the same data, by the track's own timeline
  base::Duration step_{};     ///< the last one ahead
  bool begun_ = false;
};

}  // namespace transcoder
