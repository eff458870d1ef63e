#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/stream/live_stream.h"
#include "app/telemetry/connection_table.h"
#include "app/telemetry/viewer_table.h"
#include "base/units.h"
#include "server/client.h"

/// The JSON of the HTTP API (docs/API.md). No I/O, no clock.
namespace app::api_json {

struct Reader {
  bool admin = false;                          ///< may read the admin pages
  server::Proxy proxy = server::Proxy::kNone;  ///< between the client and this server
};

/// `/api/v1/streams`. `revision`: StreamChanges::count().
std::string streams(const std::vector<LiveStream::State>& streams, const PageSettings& page,
                    const Reader& reader, std::uint64_t revision);

/// A state event of `/api/v1/events`. `viewers`: those that are listed one by one.
std::string state(const std::vector<LiveStream::State>& streams,
                  const std::vector<ViewerTelemetry>& viewers, base::Time now);

/// `/api/v1/connections`.
std::string connections(const std::vector<ViewerConnection>& connections);

}  // namespace app::api_json
