#pragma once

#include <optional>

#include "media/frame.h"
#include "transcoder/time/source_interval.h"

namespace transcoder {

/// Keeps at most `max_rate` pictures per second, at an even rhythm, from the measured rate of the
/// source:
///
///   source <= max_rate + 6 %     all pictures, however their timestamps wobble
///   faster                       every n-th, for the smallest n that obeys the limit: of 50 under
///   a
///                                limit of 30 every second one, which makes 25
///   ... if that leaves less than 64 % of the limit (30 under a limit of 25)
///                                unevenly as many as the limit allows
///   not measured yet             those that reach a grid of max_rate, with 40 % of an interval to
///                                spare
///
/// Two pictures less than a quarter of the limit's interval apart are a burst after a jump of the
/// source's clock; the second one is dropped. No I/O, no clock.
class FrameRateLimit {
 public:
  /// `max_rate` in pictures per second.
  explicit FrameRateLimit(double max_rate);

  /// Whether to keep the picture at `pts`. Call once per picture, in order.
  bool admit(media::Pts pts);

  /// The pictures kept per second; 0 while the source is not measured.
  double rate() const;

  /// Forgets the source's rate: a new connection, or a clock that jumped.
  void restart() { source_ = {}; }

 private:
  bool due(media::Pts pts);
  void choose_step(base::Duration source);

  const media::Pts interval_;  ///< at max_rate
  SourceInterval source_;
  double step_ = 1;                 ///< keep one of this many pictures
  double phase_ = 0;                ///< pictures since the last one that was due; below step_
  std::optional<media::Pts> grid_;  ///< the next picture's grid point
  std::optional<media::Pts> kept_;  ///< the last picture kept
};

}  // namespace transcoder
