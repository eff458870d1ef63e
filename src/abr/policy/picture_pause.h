#pragma once

#include <optional>

#include "abr/observation.h"
#include "abr/path_state.h"
#include "base/units.h"

namespace abr {

/// At the lowest rate, gives the audio the way. Audio and picture are one stream of bytes, so a
/// frame for which the path has no room delays the audio behind it:
///
///   beyond  = unacknowledged data - carried * base RTT
///   drains  = beyond / (carried - audio)
///   most    = 4 * frame of the lowest rate / (carried - audio), from 0.2 s to 2 s
///   pause   = min(drains, most)
///
/// `drains` is the time in which the data beyond a full path drains beside new audio. So the next
/// frame is encoded when the path has delivered the last one, and while more waits than that,
/// frames take a fifth of what the audio leaves. A path that carries much more than the lowest rate
/// hardly pauses, one that carries little more than the audio has a picture every other second, and
/// the picture is back as soon as frames pass in time. `carried` is what the path delivered while
/// data was waiting: PathState::capacity cannot be lower than a segment in the time of a few
/// frames. For each observation at the lowest rate. No I/O, no clock.
class PicturePause {
 public:
  /// For how long from `now` no frame is to be encoded. 0: the path has room for one of the rate
  /// `lowest`.
  base::Duration next(const Observation& observation, const PathState& path, base::BitRate lowest,
                      base::Time now);
  /// The rate is not the lowest.
  void reset() { *this = {}; }

 private:
  struct Mark {
    base::Time at{};
    base::ByteCount delivered;
  };

  base::BitRate carried(const Observation& observation, const PathState& path, base::Time now);

  std::optional<Mark> busy_;  ///< since then data has been waiting
  base::BitRate delivered_;   ///< the rate of the last kSpan in which it was, once it is known
};

}  // namespace abr
