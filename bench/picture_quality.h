#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "media/frame.h"
#include "transcoder/encode/libav_handle.h"
#include "transcoder/picture/picture_size.h"

namespace bench {

/// Reads raw pictures, YUV 4:2:0, from standard input. A frame is valid until the next call.
class PictureReader {
 public:
  PictureReader(transcoder::PictureSize size, double frame_rate);
  /// Null at the end.
  media::FramePtr next();

 private:
  const transcoder::PictureSize size_;
  const double frame_rate_;
  std::vector<std::uint8_t> planes_;
  std::uint64_t number_ = 0;
};

/// The pictures that a decoder of H.264 shows. Throws std::runtime_error.
class Decoder {
 public:
  Decoder();
  /// Returns the picture of an encoded frame; it is valid until the next call.
  media::FramePtr decode(const std::vector<std::uint8_t>& bytes);

 private:
  const transcoder::LibavCodec codec_;
  const transcoder::LibavFrame shown_;
};

/// The SSIM of the luma of two pictures of the same size.
double ssim(const media::Frame& a, const media::Frame& b);

}  // namespace bench
