#include "abr/audio_rungs.h"

#include <algorithm>

namespace abr {

std::size_t audio_rung(base::BitRate video, std::span<const base::BitRate> rates) {
  const auto fits = [video](base::BitRate audio) { return video >= kVideoPerAudio * audio; };
  const auto found = std::ranges::find_if(rates, fits);
  return static_cast<std::size_t>(std::min(found - rates.begin(), std::ssize(rates) - 1));
}

std::size_t AudioRungs::update(base::BitRate video, base::Time now) {
  const auto asked = audio_rung(video, rates_);
  if (!current_ || asked >= *current_) low_ = now;
  if (!current_ || asked > *current_ || now - low_ >= kTime) current_ = asked;
  return *current_;
}

}  // namespace abr
