#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/units.h"
#include "media/audio_frame.h"
#include "transcoder/encode/audio_aligner.h"

namespace transcoder {

/// The audio of block `index`.
struct AacFrame {
  std::int64_t index = 0;
  media::CodedAudio audio;
};

enum class AacContent {
  kStereo,
  kMono,  ///< the mean of both channels, in each of the two
};

/// Encodes AAC-LC, two channels at 48 kHz, with libavcodec. A block is ready after the next two
/// blocks have been passed in (43 ms, for the overlap of the transform and libavcodec's
/// look-ahead). Used by one thread.
class AacEncoder {
 public:
  /// Throws std::runtime_error if libavcodec has no AAC encoder or it refuses `rate`.
  explicit AacEncoder(base::BitRate rate, AacContent content = AacContent::kStereo);
  ~AacEncoder();

  /// Encodes `block`, whose index must rise with each call. Returns the frame that became ready, if
  /// any.
  std::optional<AacFrame> encode(const AudioBlock& block);
  /// Number of frames lost because libavcodec failed.
  std::uint64_t failures() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
