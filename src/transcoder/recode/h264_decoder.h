#pragma once

#include <memory>

#include "base/result.h"
#include "media/frame.h"
#include "media/packet.h"

namespace transcoder {

/// Pictures of our own encoders, back from their packets: libavcodec's H.264, without delay. Used
/// by one thread.
class H264Decoder {
 public:
  /// Throws std::runtime_error.
  H264Decoder();
  ~H264Decoder();

  /// With the packet's number and times. The first is a keyframe's.
  base::Result<media::FramePtr> decode(const media::Packet& packet);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder
