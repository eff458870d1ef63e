#pragma once

#include <string>
#include <vector>

#include "app/stream/live_stream.h"
#include "app/telemetry/viewer_table.h"
#include "base/units.h"
#include "server/client.h"

/// The JSON of the HTTP API (docs/API.md). No I/O, no clock.
namespace app::api_json {

/// `/api/v1/streams`. `admin`: whether the client may read the admin pages. `proxy`: between it and
/// this server.
std::string streams(const std::vector<LiveStream::State>& streams, bool admin, server::Proxy proxy);

/// A state event of `/api/v1/events`. `viewers`: those that are listed one by one.
std::string state(const std::vector<LiveStream::State>& streams,
                  const std::vector<ViewerTelemetry>& viewers, base::Time now);

}  // namespace app::api_json
