#pragma once

#include <memory>

#include "media/frame.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Opens an H.264 encoder (High profile, x264) that is set up for live video: capped CRF with a
/// buffer of `settings.vbv`, no delay, no reordering, keyframes (IDR) only on request. Reasons and
/// measurements: docs/decisions/0001-x264-api.md.
///
/// `frame_rate` is a hint; the interval between frames is measured from their timestamps. `rate`
/// counts all bytes that encode() returns, including parameter sets and delimiters, but no
/// container overhead. Throws std::runtime_error if x264 refuses.
std::unique_ptr<Encoder> open_x264(const EncoderSettings& settings,
                                   const media::PictureFormat& format, double frame_rate,
                                   base::BitRate rate);

}  // namespace transcoder
