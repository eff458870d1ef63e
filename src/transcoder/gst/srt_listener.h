#pragma once

#include <string>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Lets an srtsrc that listens have one publisher at a time, and logs those that it refuses, also
/// for their passphrase. It would accept all others, and read only the first. A newcomer ends the
/// source if the publisher has been silent for a second (four behind a passphrase), as after a
/// crash; then the next attempt of the newcomer succeeds. `source`: the source's name in the log.
/// Does nothing for an srtsrc that calls.
void admit_one_publisher(GstElement* srtsrc, const std::string& source);

}  // namespace transcoder
