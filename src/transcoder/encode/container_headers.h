#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "media/container.h"
#include "media/frame.h"

namespace transcoder {

/// What FLV and MP4 say once of a stream: made by libavformat's muxers, when the encoder's
/// parameter sets change. Used by one thread.
class ContainerHeaders {
 public:
  /// `audio`: there is an AAC track.
  explicit ContainerHeaders(bool audio) : audio_{audio} {}

  /// Of an H.264 keyframe in Annex B; the same pointer while nothing changes. Throws
  /// std::runtime_error.
  media::HeadersPtr update(std::span<const std::uint8_t> keyframe,
                           const media::PictureFormat& format);

 private:
  const bool audio_;
  std::vector<std::uint8_t> parameter_sets_;
  media::PictureFormat format_;
  media::HeadersPtr headers_;
};

}  // namespace transcoder
