#pragma once

#include <memory>

#include "media/frame.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// H.264 High by x264, driven for live: capped CRF with a buffer of `settings.vbv`, no delay, no
/// picture reordering, keyframes (IDR) only when asked for. Why and measured:
/// docs/decisions/0001-x264-api.md.
/// `frame_rate` is a hint; the interval between pictures is measured from their timestamps.
/// `rate` counts every byte that encode() returns (parameter sets and delimiters included), and
/// nothing else: container overhead is the caller's. Throws std::runtime_error when x264 refuses.
std::unique_ptr<Encoder> open_x264(const EncoderSettings& settings,
                                   const media::PictureFormat& format, double frame_rate,
                                   base::BitRate rate);

}  // namespace transcoder
