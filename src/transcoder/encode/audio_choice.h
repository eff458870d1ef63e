#pragma once

#include <cstddef>
#include <optional>

#include "media/audio_frame.h"

namespace transcoder {

/// Which rate of each audio frame a group takes: the one that it wants, as soon as a decoder can
/// change to it without a click; until then the one that it has; if that is missing, any. No
/// thread.
class AudioChoice {
 public:
  /// The rung of `frame` to take; nullopt if the frame has none. REQUIRES: each frame once.
  std::optional<std::size_t> take(const media::AudioFrame& frame, std::size_t wanted);

 private:
  std::optional<std::size_t> choose(const media::AudioFrame& frame, std::size_t wanted) const;

  std::optional<std::size_t> rung_;                           ///< of the last frame, if any
  media::AudioWindow window_ = media::AudioWindow::kUnknown;  ///< in which that one ends
};

}  // namespace transcoder
