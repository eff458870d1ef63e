#include "transcoder/time/play_start.h"

#include <algorithm>

namespace transcoder {

std::size_t PlayStart::add_track() {
  std::lock_guard lock{mutex_};
  tracks_.emplace_back();
  begun_.reset();
  return tracks_.size() - 1;
}

/// Call with the mutex.
base::Duration PlayStart::wanted(const Track& track) const {
  auto earliest = track.claim->origin;
  auto latest = earliest;
  bool each_first = true;
  for (const auto& [claim, offset] : tracks_) {
    if (!claim) return base::Duration{0};
    earliest = std::min(earliest, claim->origin);
    latest = std::max(latest, claim->origin);
    each_first = each_first && std::chrono::abs(claim->first) < kMinFirst;
  }
  if (each_first || latest - earliest > kMaxHeld) return base::Duration{0};
  return latest - track.claim->origin;
}

base::Duration PlayStart::offset(std::size_t track, const Claim& claim, base::Duration now) {
  std::lock_guard lock{mutex_};
  auto& own = tracks_[track];
  if (stopped_ || (begun_ && now > *begun_ + kSettling)) return own.offset;
  own.claim = claim;
  if (!begun_ && std::ranges::all_of(tracks_, [](const Track& t) { return t.claim.has_value(); })) {
    begun_ = now;
  }
  const auto next = wanted(own);
  if (std::chrono::abs(next - own.offset) >= kMinStep) own.offset = next;
  return own.offset;
}

void PlayStart::stop() {
  std::lock_guard lock{mutex_};
  stopped_ = true;
}

bool PlayStart::settled(base::Duration now) const {
  std::lock_guard lock{mutex_};
  return stopped_ || (begun_ && now > *begun_ + kSettling && tracks_.size() > 1);
}

}  // namespace transcoder
