#pragma once

#include <string>

#include "transcoder/gst/gst_types.h"

namespace transcoder {

/// Limits a listening srtsrc to one publisher at a time, and logs those that it refuses, also for
/// their passphrase. srtsrc itself would accept all of them, and read only the first. A new
/// publisher ends the source if the current one has been silent for a second (four with a
/// passphrase), as after a crash; its next attempt then succeeds. `source`: the source's name in
/// the log. Does nothing for an srtsrc in caller mode.
void admit_one_publisher(GstElement* srtsrc, const std::string& source);

}  // namespace transcoder
