#include "transcoder/encode/open_encoder.h"

#include "transcoder/encode/mpeg2_encoder.h"
#include "transcoder/encode/x264_encoder.h"

namespace transcoder {

std::unique_ptr<Encoder> open_encoder(const EncoderSettings& settings,
                                      const media::PictureFormat& format, double frame_rate,
                                      base::BitRate rate) {
  const auto open = settings.codec == VideoCodec::kMpeg2 ? open_mpeg2 : open_x264;
  return open(settings, format, frame_rate, rate);
}

}  // namespace transcoder
