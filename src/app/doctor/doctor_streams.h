#pragma once

#include "app/config/config.h"
#include "app/doctor/findings.h"

namespace app {

/// The sources of the configured streams: those that cannot play now. Takes long if a name server
/// does not answer.
Findings examine_stream_sources(const Config& config);

/// The encoders of the configured streams: those that this machine cannot run in real time. Takes
/// about a second for each kind of encoder.
Findings examine_stream_encoders(const Config& config);

}  // namespace app
