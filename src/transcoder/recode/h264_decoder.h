#pragma once

#include <memory>

#include "base/result.h"
#include "media/frame.h"
#include "media/packet.h"

namespace transcoder {

/// Decodes the packets of our own H.264 encoder with libavcodec, without delay. Used by one thread.
class H264Decoder {
 public:
  /// Throws std::runtime_error if libavcodec cannot open a decoder.
  H264Decoder();
  ~H264Decoder();

  /// Returns the picture, with the packet's number and times. The first packet must be a keyframe.
  base::Result<media::FramePtr> decode(const media::Packet& packet);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
