#pragma once

#include <mutex>

#include "base/units.h"
#include "transcoder/time/round_offsets.h"

namespace transcoder {

/// Joins the timestamps of one source's tracks where they begin anew in mid-stream, as fragmented
/// MP4 does after a discontinuity: decoders would wait for the old time to come again. All tracks
/// move by the same offset, so that they stay together. Thread-safe: each track has
/// its thread. No I/O, no clock; one per source.
class TrackJoiner {
 public:
  /// The place of one track.
  struct Track {
    std::size_t round = 0;
    base::Duration end{};  ///< of its newest data, on the joined timeline
    bool begun = false;
  };

  /// The offset to add to `time`, which lasts for `length`, of `track`. A time that is more than
  /// kMaxStepBack behind begins a new round, or joins the one that another track has begun.
  base::Duration offset(Track& track, base::Duration time, base::Duration length);

  /// Reordered frames without decoding times step back by less. A smaller step would take these for
  /// a new beginning, a larger one would leave short loops to the decoder.
  static constexpr base::Duration kMaxStepBack = std::chrono::seconds{1};

 private:
  std::mutex mutex_;
  RoundOffsets offsets_;  // GUARDED_BY(mutex_)
};

}  // namespace transcoder
