#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/stream/live_stream.h"
#include "segments/target.h"
#include "server/full_response.h"

namespace app {

/// The error for a request of something that `stream` does not have, and is not about to have;
/// nullopt if it has it. Such a request begins no session, so that nobody takes a viewer's place
/// with a path that they invented. Before the stream's first encoder has begun, everything may
/// come.
std::optional<server::FullResponse> missing(const segments::Target& target,
                                            const std::string& query, const LiveStream& stream);

/// Our number of the segment that a new player means: see SegmentSession::place.
std::uint64_t our_number(std::uint64_t players, const LiveStream& stream);

}  // namespace app
