#pragma once

#include <optional>

#include "media/frame.h"
#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// The I420 picture in `sample`, not copied: the frame keeps the sample's memory mapped. Odd sizes
/// lose their last column or line. `pts` and `captured` are left to the caller. Empty when the
/// memory cannot be mapped or there is no whole 2x2 pixel.
std::optional<media::Frame> as_frame(GstSample* sample);

/// The audio in `sample`, copied; there may be none. Empty when it cannot be mapped.
std::optional<media::Samples> as_samples(GstSample* sample);

/// The sample's time since the pipeline began to play; empty when it carries none.
std::optional<base::Duration> running_time(GstSample* sample);

/// What its format says of the time from one picture to the next; empty: variable or unknown.
std::optional<base::Duration> frame_interval(GstSample* sample);

}  // namespace transcoder
