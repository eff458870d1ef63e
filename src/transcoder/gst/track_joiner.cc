#include "transcoder/gst/track_joiner.h"

#include <algorithm>

#include "transcoder/time/source_time.h"

namespace transcoder {

base::Duration TrackJoiner::offset(Track& track, base::Duration time, base::Duration length) {
  std::lock_guard lock{mutex_};
  if (offsets_.empty()) offsets_.push({});
  if (!track.begun) track.round = offsets_.end() - 1;
  track.round = std::max(track.round, offsets_.first());
  while (track.begun && track.end < kMaxSourceTime &&
         time + offsets_[track.round] < track.end - kMaxStepBack) {
    if (track.round + 1 == offsets_.end()) offsets_.push(track.end - time);
    ++track.round;
  }
  const auto offset = offsets_[track.round];
  track.end = track.begun ? std::max(track.end, time + offset + length) : time + offset + length;
  track.begun = true;
  return offset;
}

}  // namespace transcoder
