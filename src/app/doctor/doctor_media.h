#pragma once

#include "app/doctor/findings.h"

namespace app {

/// GStreamer and the elements that each kind of source needs, with the Debian package of each.
Findings examine_sources();

/// x264, opened once, and whether libav has the encoders of MPEG-2 and AAC and the MPEG-TS muxer.
Findings examine_encoders();

}  // namespace app
