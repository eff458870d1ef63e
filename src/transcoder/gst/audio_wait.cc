#include "transcoder/gst/audio_wait.h"

#include <algorithm>
#include <utility>

namespace transcoder {

namespace {

/// A longer step between data is a jump of the clock.
constexpr base::Duration kMaxStep = std::chrono::seconds{1};

}  // namespace

/// Time has to pass for us and in the media: a process that was stopped for a while has waited for
/// nothing, nor has one that reads a file ahead. Of a track that is missing the media tell enough.
bool AudioWait::over(base::Time now, std::optional<base::Duration> pts, TrackHealth chosen) {
  if (pts) {
    const auto step = *pts - std::exchange(pts_, pts).value_or(*pts);
    heard_ += std::clamp(step, base::Duration{0}, kMaxStep);
    timed_ = true;
  }
  if (chosen == TrackHealth::kDecoded) return false;
  if (chosen == TrackHealth::kNoDecoder) return true;
  if (chosen == TrackHealth::kMissing && timed_) return heard_ >= kDeadTime;
  const auto patience = chosen == TrackHealth::kNotDecoded ? kUndecodedTime : kDeadTime;
  return now - chosen_ >= patience && (!timed_ || heard_ >= patience);
}

}  // namespace transcoder
