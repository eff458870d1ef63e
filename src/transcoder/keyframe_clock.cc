#include "transcoder/keyframe_clock.h"

#include <algorithm>

namespace transcoder {

KeyframeClock::Cause KeyframeClock::take(media::Pts pts, bool opened) {
  Cause cause = Cause::kNone;
  if (opened || !last_) {
    cause = Cause::kOpened;
  } else if (crosses_tick(pts)) {
    cause = Cause::kClock;
  } else if (scheduled_ && pts >= *scheduled_) {
    cause = Cause::kScheduled;
  }
  last_ = pts;
  if (cause != Cause::kNone) {
    last_keyframe_ = pts;
    if (scheduled_ && pts >= *scheduled_) scheduled_.reset();
  }
  return cause;
}

media::Pts KeyframeClock::schedule(media::Pts earliest) {
  if (!last_) return media::Pts{0};  // the first picture will be one
  if (scheduled_) return *scheduled_;
  const auto allowed = std::max(earliest, last_keyframe_ + forced_interval_);
  if (next_tick() <= allowed) return next_tick();
  scheduled_ = allowed;
  return allowed;
}

}  // namespace transcoder
