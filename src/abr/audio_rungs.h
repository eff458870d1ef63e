#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"

namespace abr {

/// The rate of the audio that goes with a video rate, from a few rates, given falling and at least
/// one: the highest to which the video rate is kVideoPerAudio times or more, else the last one. A
/// rung is its index, 0 for the highest. A pure function.
std::size_t audio_rung(base::BitRate video, std::span<const base::BitRate> rates);

/// The least video rate for a rate of the audio, as a multiple: audio that could be less is at most
/// a sixth of the two. A larger multiple gives poor audio to viewers whose path carries better, a
/// smaller one takes rate from small pictures. Not measured against other values.
inline constexpr double kVideoPerAudio = 5;

/// The rung of one encode group over time: down at once, because the path has no room for more, and
/// up after the rate has asked for it for kTime. No I/O, no clock.
class AudioRungs {
 public:
  /// Listeners notice each change. A longer time keeps poor audio for longer, a shorter one changes
  /// it with each dip of the rate. Not measured against other values.
  static constexpr base::Duration kTime = std::chrono::seconds{3};

  /// `rates`: as for audio_rung().
  explicit AudioRungs(std::vector<base::BitRate> rates) : rates_{std::move(rates)} {}

  /// The rung at `now`. The first one takes effect at once.
  std::size_t update(base::BitRate video, base::Time now);

 private:
  const std::vector<base::BitRate> rates_;
  std::optional<std::size_t> current_;
  base::Time low_{};  ///< when the rate last asked for no more than the current rung
};

}  // namespace abr
