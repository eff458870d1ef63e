#pragma once

#include <memory>
#include <optional>

#include "transcoder/encode/encoder.h"

namespace transcoder::test {

/// libavcodec's decoder, which is told to take nothing amiss: each picture as it is shown, at once.
class PictureDecoder {
 public:
  struct Shown {
    int width = 0;
    int height = 0;
    media::Psnr psnr;  ///< against the source
  };

  /// What a decoder has learnt from the headers.
  struct Headers {
    int profile = 0;
    int level = 0;
    double frame_rate = 0;  ///< 0: not said
    int buffer_bits = 0;    ///< MPEG-2's vbv_buffer_size
    std::int64_t rate = 0;  ///< MPEG-2's bit_rate
    media::Colour colour;
  };

  explicit PictureDecoder(VideoCodec codec);
  ~PictureDecoder();

  /// Empty: no picture came out. Fails the test when the decoder complains.
  std::optional<Shown> decode(const EncodedFrame& picture, const media::Frame& source);

  Headers headers() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace transcoder::test
