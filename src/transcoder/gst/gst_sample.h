#pragma once

#include <optional>

#include "media/frame.h"
#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// The I420 picture in `sample`, without a copy: the frame keeps the sample's memory mapped. A
/// picture of odd size loses its last column or row. `pts` and `captured` are not set. nullopt if
/// the memory cannot be mapped or the picture is smaller than 2x2 pixels.
std::optional<media::Frame> as_frame(GstSample* sample);

/// A copy of the audio in `sample`, which may be empty. `pts` is not set. nullopt if the memory
/// cannot be mapped.
std::optional<media::Samples> as_samples(GstSample* sample);

/// The sample's time since the pipeline began to play; nullopt if it has no timestamp.
std::optional<base::Duration> running_time(GstSample* sample);

/// The time between pictures by the sample's format; nullopt if it is variable or unknown.
std::optional<base::Duration> nominal_interval(GstSample* sample);

}  // namespace transcoder
