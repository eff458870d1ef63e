#include "transcoder/encode/keyframe_clock.h"

#include <algorithm>

namespace transcoder {

KeyframeClock::Cause KeyframeClock::take(media::Pts pts, bool opened) {
  const auto due = std::ranges::upper_bound(scheduled_, pts);
  Cause cause = Cause::kNone;
  if (opened || !last_) {
    cause = Cause::kOpened;
  } else if (tick_before(pts) != tick_before(*last_)) {
    cause = Cause::kClock;
  } else if (due != scheduled_.begin()) {
    cause = Cause::kScheduled;
  }
  last_ = pts;
  if (cause != Cause::kNone) last_keyframe_ = pts;
  if (cause == Cause::kScheduled) last_forced_ = pts;
  scheduled_.erase(scheduled_.begin(), due);
  return cause;
}

media::Pts KeyframeClock::schedule(media::Pts earliest, std::optional<media::Pts> last) {
  if (last_) earliest = std::max(earliest, *last_ + media::Pts{1});  // *last_ is encoded already
  const auto planned = std::ranges::lower_bound(scheduled_, earliest);
  if (planned != scheduled_.end()) return *planned;
  const auto known = known_before(earliest, last);
  const auto allowed = known ? std::max(earliest, *known + forced_interval_) : earliest;
  const auto tick =
      tick_before(earliest) == earliest ? earliest : tick_before(earliest) + interval_;
  if (last_ && tick > *last_ && tick <= allowed) return tick;
  scheduled_.push_back(allowed);
  return allowed;
}

std::optional<media::Pts> KeyframeClock::known_before(media::Pts earliest,
                                                      std::optional<media::Pts> last) const {
  auto known = last;
  if (last_ && tick_before(earliest) > *last_) known = std::max(known, {tick_before(earliest)});
  if (!scheduled_.empty()) known = std::max(known, {scheduled_.back()});
  return known;
}

}  // namespace transcoder
