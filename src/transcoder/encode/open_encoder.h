#pragma once

#include <memory>

#include "media/frame.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Calls open_x264() or open_mpeg2(), depending on `settings.codec`. Throws std::runtime_error.
std::unique_ptr<Encoder> open_encoder(const EncoderSettings& settings,
                                      const media::PictureFormat& format, double frame_rate,
                                      base::BitRate rate);

}  // namespace transcoder
