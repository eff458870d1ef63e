#pragma once

#include <memory>

#include "media/frame.h"
#include "transcoder/encode/encoder.h"
#include "transcoder/settings.h"

namespace transcoder {

/// MPEG-2 video, main profile, by libavcodec, driven for live: no delay, no B pictures, intra
/// pictures only when asked for, each after a sequence header and in a closed group of pictures of
/// its own. Every picture refers to the one before it, so only a keyframe recovers from what was
/// lost. Throws std::runtime_error.
///
/// A picture is as good as `settings.crf` asks (QuantiserControl) and never larger than its room in
/// a buffer of `settings.vbv` (FrameBudget): one that is larger is coded again, coarser. Below
/// the coarsest quantiser there is nothing: the rate cannot be less than what that takes. Why and
/// measured: docs/decisions/0014-mpeg2.md.
///
/// `frame_rate`: in the header rounded up to one that MPEG-2 has, 60 at most, as the pixels' shape
/// is to the nearest of its four; what counts is the timestamps. `rate` is that of all bytes that
/// encode() returns. `settings.preset` is x264's and has no effect. Pictures of full range come out
/// in the limited one: MPEG-2 has no word for the other.
std::unique_ptr<Encoder> open_mpeg2(const EncoderSettings& settings,
                                    const media::PictureFormat& format, double frame_rate,
                                    base::BitRate rate);

}  // namespace transcoder
