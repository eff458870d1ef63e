#include "transcoder/time/fragment_position.h"

namespace transcoder {

base::Duration FragmentPosition::timeline(base::Duration media,
                                          std::optional<base::Duration> arrival) {
  const auto step = unwrapped(media - media_);
  if (!begun_) {
    running_ = arrival.value_or(base::Duration{});
  } else if (!goes_on(step, arrival)) {
    running_ = after_jump(arrival);
  } else {
    running_ += step;
    if (step > base::Duration{}) step_ = step;
  }
  media_ = media;
  begun_ = true;
  return running_ + clock_->shift(place_, media, running_);
}

base::Duration FragmentPosition::after_jump(std::optional<base::Duration> arrival) const {
  const auto next = running_ + step_;
  return arrival && *arrival > next && *arrival < next + kMaxTrackGap ? *arrival : next;
}

bool FragmentPosition::goes_on(base::Duration step, std::optional<base::Duration> arrival) const {
  if (step < -kMaxTrackStep || step > kMaxTrackGap) return false;
  if (step <= kMaxTrackStep || !arrival) return true;
  const auto gap = *arrival - running_ - step_;
  const bool fits = std::chrono::abs(*arrival - running_ - step) <= FragmentClock::kMaxStep;
  return fits || std::chrono::abs(gap) > kMaxError;
}

}  // namespace transcoder
