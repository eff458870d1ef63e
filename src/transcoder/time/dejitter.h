#pragma once

#include <deque>
#include <optional>

#include "base/units.h"
#include "media/frame.h"

namespace transcoder {

/// Decides when to release the pictures of a live source, which arrive in bursts or with jitter, so
/// that the encoders receive them evenly. The lateness of a picture is arrival - pts. The spread is
/// the largest lateness that occurred in two different eighths of the last 4 s, minus the smallest
/// lateness of that time: a single disturbance does not count.
///
///   spread <= half a frame interval   release at arrival: the source is even, and waiting adds
///                                     delay only
///   otherwise                         release at pts + that lateness, so every picture waits as if
///                                     it were as late
///   too late for that                 release at arrival, but not sooner after the picture before
///                                     it than half of the time between their pts
///   always                            release at most 500 ms after arrival
///
/// A larger wait takes effect at once, and shrinks by a tenth of the time that passes once the
/// jitter is over. No I/O, no clock.
class Dejitter {
 public:
  /// The time to release a picture. Both arguments must increase from call to call. `pts` may be
  /// on any clock of the speed of ours.
  base::Time release(media::Pts pts, base::Time arrival);

  /// The longest wait, from arrival to release, of the pictures of the last 4 s.
  base::Duration longest_wait() const;

  /// Forgets the jitter: a new connection, or a clock that jumped.
  void restart() { *this = {}; }

  /// The bound of a wait. Bursts of a longer time are released at up to twice their speed.
  static constexpr base::Duration kMaxWait = std::chrono::milliseconds{500};

 private:
  /// Pictures that arrived within an eighth of the window.
  struct Bucket {
    base::Time begin;
    base::Duration earliest;  ///< smallest lateness
    base::Duration latest;    ///< largest lateness
    base::Duration longest_wait;
  };

  void observe(base::Duration lateness, base::Time arrival);
  base::Duration recurring_lateness() const;
  base::Duration lateness_to_apply(base::Duration shrunk) const;

  std::deque<Bucket> window_;      ///< oldest first
  base::Duration interval_{};      ///< between the pts of pictures, smoothed
  base::Duration lateness_{};      ///< applied: pictures are released at pts + lateness_
  std::optional<media::Pts> pts_;  ///< of the last picture
  base::Time released_{};          ///< the last picture
};

}  // namespace transcoder
