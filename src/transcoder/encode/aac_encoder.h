#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "media/packet.h"
#include "transcoder/encode/audio_aligner.h"

namespace transcoder {

/// AAC-LC by libavcodec, stereo at 48 kHz. A block comes out when the two after it have gone in
/// (43 ms; the overlap of the transform, and libavcodec's look ahead). Used by one thread.
/// The constructor throws std::runtime_error.
class AacEncoder {
 public:
  explicit AacEncoder(base::BitRate rate);
  ~AacEncoder();

  /// The frame that became ready, without `number`; blocks go in with rising index.
  std::optional<media::AudioFrame> encode(const AudioBlock& block);
  /// Calls of encode() that libavcodec refused: a frame is lost.
  std::uint64_t failures() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
