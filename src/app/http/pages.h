#pragma once

#include <string>
#include <vector>

#include "app/stream/live_stream.h"

/// The text of the HTTP pages. No I/O, no clock.
namespace app::pages {

/// `/status`: the streams, their state and their groups, for people. Names no viewer. If `admin`,
/// it also says why a source is missing, which may reveal names inside the network. `kept`: the end
/// of the links, a server::kept_query.
std::string status(const std::vector<LiveStream::State>& streams, bool admin,
                   const std::string& kept = {});

/// `/healthz`: "ok" and one line per stream, for load balancers.
std::string health(const std::vector<LiveStream::State>& streams);

/// The line of `systemctl status`: viewers, and the streams that do not play.
std::string summary(const std::vector<LiveStream::State>& streams);

}  // namespace app::pages
