#pragma once

#include <chrono>
#include <optional>

#include "base/units.h"

namespace transcoder {

/// Decides when another decoder is tried after one has failed. The first one is tried at once,
/// because the next data may be whole again. If those that follow fail too, the wait grows: garbage
/// that passes costs at most as much audio again as it lasted, and a track that never decodes costs
/// no CPU. A decoder that has worked for longer than the wait before it ends the series. No I/O, no
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
