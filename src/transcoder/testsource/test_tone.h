#pragma once

#include <cstdint>

#include "media/frame.h"

namespace transcoder {

/// The audio of the test source: a 1 kHz beep of 0.1 s each second, and a quiet hum in between.
/// A pure function.
class TestTone {
 public:
  /// `phase`: time from the beginning of a beep to the first sample.
  explicit TestTone(base::Duration phase) : phase_{phase} {}

  /// The samples from number `first` to `last`, exclusive, at media::kAudioRate.
  media::Samples samples(std::int64_t first, std::int64_t last) const;

  /// Whether the tone beeps at `time` after the first sample.
  bool beeps(base::Duration time) const;

 private:
  const base::Duration phase_;
};

}  // namespace transcoder
