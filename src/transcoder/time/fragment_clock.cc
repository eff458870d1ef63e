#include "transcoder/time/fragment_clock.h"

#include <algorithm>

namespace transcoder {

base::Duration unwrapped(base::Duration time) {
  time %= kTsWrap;
  if (time > kTsWrap / 2) time -= kTsWrap;
  if (time < -kTsWrap / 2) time += kTsWrap;
  return time;
}

base::Duration FragmentClock::shift(Track& track, base::Duration media, base::Duration running) {
  std::lock_guard lock{mutex_};
  const auto expected = track.begun ? track.shift : kHeadroom;
  const auto error = [&](std::size_t round) {
    return std::chrono::abs(unwrapped(media + offsets_[round] - running - expected));
  };
  const bool known = track.begun && track.round >= offsets_.first();
  if (!known || error(track.round) > kMaxStep) {
    const auto first = std::max(track.begun ? track.round + 1 : 0, offsets_.first());
    std::size_t nearest = offsets_.end();
    for (auto round = first; round < offsets_.end(); ++round) {
      const auto limit = nearest < offsets_.end() ? error(nearest) : kMaxApart;
      if (error(round) <= limit) nearest = round;
    }
    if (nearest == offsets_.end()) offsets_.push(running + expected - media);
    track.round = nearest;
  }
  track.begun = true;
  track.shift = expected + unwrapped(media + offsets_[track.round] - running - expected);
  return track.shift;
}

}  // namespace transcoder
