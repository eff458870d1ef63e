#include "transcoder/testsource/test_tone.h"

#include <cmath>
#include <numbers>

namespace transcoder {

namespace {

/// The dial of the picture turns as often (test_pattern.h).
constexpr base::Duration kBeepPeriod = std::chrono::seconds{1};
/// A longer beep is easier to hear; a shorter one marks its moment more exactly.
constexpr base::Duration kBeepLength = std::chrono::milliseconds{100};

/// -12 and -40 dB of full scale: clearly audible, and just loud enough to show that there is audio.
constexpr double kBeepAmplitude = 0.25;
constexpr double kHumAmplitude = 0.01;
/// Both have a whole number of periods in a second, so the pattern repeats without a click.
constexpr double kBeepHertz = 1000;
constexpr double kHumHertz = 220;

base::Duration time_of(std::int64_t sample) {
  return std::chrono::duration_cast<base::Duration>(
      std::chrono::duration<std::int64_t, std::ratio<1, media::kAudioRate>>{sample});
}

}  // namespace

bool TestTone::beeps(base::Duration time) const {
  return (time + phase_) % kBeepPeriod < kBeepLength;
}

media::Samples TestTone::samples(std::int64_t first, std::int64_t last) const {
  media::Samples result{.pts = time_of(first), .values = {}};
  result.values.reserve(static_cast<std::size_t>(last - first) * media::kAudioChannels);
  for (auto i = first; i < last; ++i) {
    const bool beep = beeps(time_of(i));
    const double seconds = static_cast<double>(i % media::kAudioRate) / media::kAudioRate;
    const double turns = seconds * (beep ? kBeepHertz : kHumHertz);
    const auto value =
        (beep ? kBeepAmplitude : kHumAmplitude) * std::sin(2 * std::numbers::pi * turns);
    result.values.insert(result.values.end(), media::kAudioChannels, static_cast<float>(value));
  }
  return result;
}

}  // namespace transcoder
