#pragma once

#include <cstddef>
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

/// One encoded frame. H.264: Annex B, with parameter sets before each IDR frame. MPEG-2: with a
/// sequence header and the header of a closed group of pictures before each I-frame.
struct EncodedFrame {
  std::vector<std::uint8_t> bytes;
  bool keyframe = false;
  base::ByteCount target;  ///< size that the rate allowed: rate x measured frame interval
  std::optional<std::uint64_t> recovers_from;  ///< see media::Packet
  std::optional<media::Psnr> psnr;             ///< if EncoderSettings::psnr
};

/// A video encoder without delay: each call of encode() returns the frame for its picture. Used by
/// one thread.
class Encoder {
 public:
  virtual ~Encoder() = default;

  /// From the next frame on, limits the rate of the bytes that encode() returns to `rate`. Needs no
  /// keyframe.
  virtual void retarget(base::BitRate rate) = 0;

  /// From the next frame on, encodes with preset kAutoPresets[effort], if the settings leave the
  /// choice to the server. Needs no keyframe. Before the first call it is kFirstEffort.
  virtual void set_effort(std::size_t effort) = 0;

  /// Reports that the picture at `pts` is not encoded. It still counts as a frame for the measured
  /// frame interval.
  virtual void skip(media::Pts pts) = 0;

  /// Frames from `number` (Frame::number) on have not reached a viewer, so the next frame must not
  /// refer to any of them. Returns false and changes nothing if only a keyframe could do that.
  virtual bool recover(std::uint64_t number) = 0;

  /// Encodes a picture of the format with which the encoder was opened. The first frame is always a
  /// keyframe. After an error the encoder must not be used any more.
  virtual base::Result<EncodedFrame> encode(const media::Frame& frame, bool keyframe) = 0;
};

/// Opens an encoder for one picture format; throws std::runtime_error. Either open_encoder() or a
/// replacement for tests.
using OpenEncoder = std::function<std::unique_ptr<Encoder>(
    const EncoderSettings&, const media::PictureFormat&, double frame_rate, base::BitRate)>;

}  // namespace transcoder
