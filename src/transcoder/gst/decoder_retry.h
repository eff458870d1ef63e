#pragma once

#include <chrono>
#include <optional>

#include "base/units.h"

namespace transcoder {

/// Decides when to try a new decoder after one has failed. The first retry is immediate, because
/// the next data may be intact again. If further decoders fail, too, the wait grows: a fault in the
/// data costs at most twice the audio that it damaged, and a track that never decodes costs no CPU
/// time. The wait is reset when a decoder has worked for longer than the wait before it. No I/O, no
/// clock; one per track.
class DecoderRetry {
 public:
  /// Returns when to try the next one.
  base::Time failed(base::Time now);
  /// Decoded data have come.
  void decoded(base::Time now);

  static constexpr base::Duration kShortestWait = std::chrono::milliseconds{100};
  static constexpr base::Duration kLongestWait = std::chrono::minutes{1};

 private:
  base::Duration wait_{};
  std::optional<base::Time> works_since_;
};

}  // namespace transcoder
