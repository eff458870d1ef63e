#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "media/container.h"
#include "media/frame.h"

namespace transcoder {

/// Makes the headers at the beginning of an FLV or MP4 stream with libavformat's muxers, again
/// whenever the encoder's parameter sets change. Used by one thread.
class ContainerHeaders {
 public:
  /// `audio`: whether the stream has an AAC track.
  explicit ContainerHeaders(bool audio) : audio_{audio} {}

  /// The headers for an H.264 keyframe in Annex B; the same pointer while nothing changes. Throws
  /// std::runtime_error if the keyframe has no parameter sets or libavformat fails.
  media::HeadersPtr update(std::span<const std::uint8_t> keyframe,
                           const media::PictureFormat& format);

 private:
  const bool audio_;
  std::vector<std::uint8_t> parameter_sets_;
  media::PictureFormat format_;
  media::HeadersPtr headers_;
};

}  // namespace transcoder
