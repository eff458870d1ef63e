#pragma once

#include <string>
#include <vector>

#include "app/stream/live_stream.h"
#include "app/telemetry/viewer_table.h"
#include "base/units.h"

/// What the HTTP API says, as docs/API.md describes it. Pure.
namespace app::api_json {

/// `/api/v1/streams`. `admin`: who asks may have the rest.
std::string streams(const std::vector<LiveStream::State>& streams, bool admin);

/// Of `/api/v1/events`. `viewers`: those that are told of one by one.
std::string state(const std::vector<LiveStream::State>& streams,
                  const std::vector<ViewerTelemetry>& viewers, base::Time now);

}  // namespace app::api_json
