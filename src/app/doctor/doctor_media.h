#pragma once

#include "app/doctor/findings.h"

namespace app {

/// GStreamer and the elements that each kind of source needs, with their Debian packages.
Findings examine_sources();

/// x264, and the MPEG-2 encoder, AAC encoder and MPEG-TS muxer of libav.
Findings examine_encoders();

}  // namespace app
