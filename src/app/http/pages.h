#pragma once

#include <string>
#include <vector>

#include "app/stream/live_stream.h"

/// The pages of HTTP, as text. Pure.
namespace app::pages {

/// `/status`: the streams, their state and their groups, for people. Names no viewer. `admin`: also
/// why a source is away, which may name what is inside the network.
std::string status(const std::vector<LiveStream::State>& streams, bool admin);

/// `/healthz`: "ok" and a line per stream, for load balancers.
std::string health(const std::vector<LiveStream::State>& streams);

}  // namespace app::pages
