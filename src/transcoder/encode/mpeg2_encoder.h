#pragma once

#include <memory>

#include "media/frame.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// Opens an MPEG-2 encoder (main profile, libavcodec) that is set up for live video: no delay, no
/// B-frames, I-frames only on request, each after a sequence header and in a closed group of
/// pictures. Every frame refers to the one before it, so only a keyframe recovers from a lost
/// frame. Throws std::runtime_error.
///
/// A frame has the quality of `settings.crf` (QuantiserControl) and is never larger than its room
/// in a buffer of `settings.vbv` (FrameBudget): a larger one is encoded again with a coarser
/// quantiser. The rate cannot fall below that of the coarsest quantiser. Reasons and measurements:
/// docs/decisions/0014-mpeg2.md.
///
/// The header has `frame_rate` rounded up to one of MPEG-2's rates, at most 60, and the nearest of
/// its four aspect ratios; timing follows the timestamps. `rate` counts all bytes that encode()
/// returns. `settings.preset` has no effect. Pictures of full range are converted to limited range,
/// because MPEG-2 cannot signal full range.
std::unique_ptr<Encoder> open_mpeg2(const EncoderSettings& settings,
                                    const media::PictureFormat& format, double frame_rate,
                                    base::BitRate rate);

}  // namespace transcoder
