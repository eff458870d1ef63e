#pragma once

#include <optional>

#include "media/frame.h"
#include "transcoder/gst/gst_types.h"
#include "transcoder/picture/tone_map.h"

namespace transcoder {

/// The picture in `sample`. I420 is not copied: the frame keeps the sample's memory mapped.
/// I420_10LE is converted to BT.709 by `tone_map`. A picture of odd size loses its last column or
/// row. `pts` and `captured` are not set. nullopt if the memory cannot be mapped or the picture is
/// smaller than 2x2 pixels.
std::optional<media::Frame> as_frame(GstSample* sample, ToneMap& tone_map);

/// The colours of pictures with this format.
media::Colour as_colour(const GstVideoInfo& info);

/// A copy of the audio in `sample`, which may be empty. `pts` is not set. nullopt if the memory
/// cannot be mapped.
std::optional<media::Samples> as_samples(GstSample* sample);

/// The sample's time since the pipeline began to play; nullopt if it has no timestamp, or one
/// beyond kMaxSourceTime.
std::optional<base::Duration> running_time(GstSample* sample);

/// The time between pictures by the sample's format; nullopt if it is variable or unknown.
std::optional<base::Duration> nominal_interval(GstSample* sample);

}  // namespace transcoder
