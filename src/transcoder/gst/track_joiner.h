#pragma once

#include <mutex>

#include "base/units.h"
#include "transcoder/time/round_offsets.h"

namespace transcoder {

/// Makes the timestamps of one source's tracks continuous where they restart in mid-stream, as in
/// fragmented MP4 after a discontinuity. Decoders would otherwise wait until the old time is
/// reached again. All tracks move by the same offset and so stay in sync. Thread-safe: each track
/// has its thread. No I/O, no clock; one per source.
class TrackJoiner {
 public:
  /// The place of one track.
  struct Track {
    std::size_t round = 0;
    base::Duration end{};  ///< of its newest data, on the joined timeline
    bool begun = false;
  };

  /// The offset to add to `time` of data with this `length` of `track`. A time that is more than
  /// kMaxStepBack behind begins a new round, or joins the one that another track has begun.
  /// REQUIRES: both within kMaxSourceTime. A source whose rounds add up to more is not joined any
  /// more.
  base::Duration offset(Track& track, base::Duration time, base::Duration length);

  /// Reordered frames without decoding times step back by less. A smaller limit would take them for
  /// a restart, a larger one would miss the restarts of short loops.
  static constexpr base::Duration kMaxStepBack = std::chrono::seconds{1};

 private:
  std::mutex mutex_;
  RoundOffsets offsets_;  // GUARDED_BY(mutex_)
};

}  // namespace transcoder
