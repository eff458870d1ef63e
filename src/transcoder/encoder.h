#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "media/frame.h"
#include "media/packet.h"
#include "transcoder/settings.h"

namespace transcoder {

/// One H.264 picture, Annex B, with parameter sets before each IDR picture.
struct EncodedPicture {
  std::vector<std::uint8_t> bytes;
  bool keyframe = false;
  std::optional<media::Psnr> psnr;
};

/// A video encoder without delay: one picture in, its bytes out. Used by one thread.
class Encoder {
 public:
  virtual ~Encoder() = default;

  /// From the next picture on, the rate is at most `rate`; costs no keyframe.
  virtual void retarget(base::BitRate rate) = 0;

  /// `frame` has the format that the encoder was opened with.
  virtual EncodedPicture encode(const media::Frame& frame, bool keyframe) = 0;
};

}  // namespace transcoder
