#pragma once

#include <memory>
#include <optional>

#include "transcoder/encode/encoder.h"

namespace transcoder::test {

/// libavcodec's decoder, set to report every error; decodes each frame without delay.
class PictureDecoder {
 public:
  struct Shown {
    int width = 0;
    int height = 0;
    media::Psnr psnr;  ///< against the source
  };

  /// The values of the stream's headers.
  struct Headers {
    int profile = 0;
    int level = 0;
    double frame_rate = 0;  ///< 0 if missing
    int buffer_bits = 0;    ///< MPEG-2's vbv_buffer_size
    std::int64_t rate = 0;  ///< MPEG-2's bit_rate
    media::Colour colour;
  };

  explicit PictureDecoder(VideoCodec codec);
  ~PictureDecoder();

  /// nullopt if the decoder returns no picture. Fails the test if the decoder reports an error.
  std::optional<Shown> decode(const EncodedFrame& frame, const media::Frame& source);

  Headers headers() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder::test
