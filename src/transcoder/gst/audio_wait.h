#pragma once

#include <optional>

#include "base/units.h"

namespace transcoder {

/// The state of the audio track that was chosen.
enum class TrackHealth {
  kMissing,     ///< its container carries other tracks, and nothing of this one
  kNoData,      ///< none arrived yet
  kNotDecoded,  ///< data arrived, no decoder has made anything of them, nor failed
  kBroken,      ///< a decoder failed, and nothing was decoded before
  kNoDecoder,
  kDecoded,
};

/// Decides how long viewers wait in silence for the chosen audio track while another track carries
/// audio. No I/O, no clock; one per choice.
class AudioWait {
 public:
  explicit AudioWait(base::Time chosen) : chosen_{chosen} {}

  /// Data of another track arrived. Returns whether to switch to that track.
  bool over(base::Time now, std::optional<base::Duration> pts, TrackHealth chosen);

  /// Muxers put tracks up to 1 s apart, and damaged data ends after a while (DecoderRetry). A
  /// shorter time would switch to another language after a brief fault, a longer one would mean
  /// longer silence.
  static constexpr base::Duration kDeadTime = std::chrono::seconds{5};
  /// For data that neither decodes nor fails. A busy machine decodes late.
  static constexpr base::Duration kUndecodedTime = std::chrono::seconds{20};

 private:
  const base::Time chosen_;
  std::optional<base::Duration> pts_;  ///< of the other track's newest data
  base::Duration heard_{};             ///< length of its data
  bool timed_ = false;                 ///< whether these have timestamps
};

}  // namespace transcoder
