#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "media/packet.h"
#include "transcoder/encode/audio_aligner.h"

namespace transcoder {

/// Encodes AAC-LC, stereo at 48 kHz, with libavcodec. A block is ready after the next two blocks
/// have been passed in (43 ms, for the overlap of the transform and libavcodec's look-ahead). Used
/// by one thread.
class AacEncoder {
 public:
  /// Throws std::runtime_error if libavcodec has no AAC encoder or it refuses `rate`.
  explicit AacEncoder(base::BitRate rate);
  ~AacEncoder();

  /// Encodes `block`, whose index must rise with each call. Returns the frame that became ready, if
  /// any, with `number` unset.
  std::optional<media::AudioFrame> encode(const AudioBlock& block);
  /// Number of frames lost because libavcodec failed.
  std::uint64_t failures() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
