#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "media/frame.h"
#include "media/packet.h"
#include "transcoder/settings.h"

namespace transcoder {

/// One picture. H.264: Annex B, with parameter sets before each IDR picture. MPEG-2: with a
/// sequence header and that of a closed group of pictures before each intra picture.
struct EncodedFrame {
  std::vector<std::uint8_t> bytes;
  bool keyframe = false;
  base::ByteCount target;  ///< what the rate allowed it: rate x the measured frame interval
  std::optional<std::uint64_t> recovers_from;  ///< see media::Packet
  std::optional<media::Psnr> psnr;
};

/// A video encoder without delay: one picture in, its bytes out. Used by one thread.
class Encoder {
 public:
  virtual ~Encoder() = default;

  /// From the next picture on, the rate of the bytes that encode() returns is at most `rate`;
  /// costs no keyframe.
  virtual void retarget(base::BitRate rate) = 0;

  /// The picture at `pts` is not encoded: it counts as time, not as a slower frame rate.
  virtual void skip(media::Pts pts) = 0;

  /// Pictures from `number` (Frame::number) on have not reached a viewer: the next one refers to
  /// none of them. False, and nothing is changed, when only a keyframe could do that.
  virtual bool recover(std::uint64_t number) = 0;

  /// `frame` has the format that the encoder was opened with; the first one is a keyframe.
  /// After an error the encoder is of no further use.
  virtual base::Result<EncodedFrame> encode(const media::Frame& frame, bool keyframe) = 0;
};

/// Opens an encoder for one picture format; throws std::runtime_error. open_encoder, or a
/// test's own.
using OpenEncoder = std::function<std::unique_ptr<Encoder>(
    const EncoderSettings&, const media::PictureFormat&, double frame_rate, base::BitRate)>;

}  // namespace transcoder
