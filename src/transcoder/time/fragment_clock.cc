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
  const auto fits = [&](std::size_t round, base::Duration limit) {
    const auto error = unwrapped(media + offsets_[round] - running - expected);
    return std::chrono::abs(error) <= limit;
  };
  const bool known = track.begun && track.round >= offsets_.first();
  if (!known || !fits(track.round, kMaxStep)) {
    std::size_t round = track.begun ? std::max(track.round + 1, offsets_.first())
                                    : offsets_.end() - !offsets_.empty();
    while (round < offsets_.end() && !fits(round, kMaxApart)) ++round;
    if (round == offsets_.end()) offsets_.push(running + expected - media);
    track.round = round;
  }
  track.begun = true;
  track.shift = expected + unwrapped(media + offsets_[track.round] - running - expected);
  return track.shift;
}

}  // namespace transcoder
