#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/segments/session.h"
#include "segments/target.h"
#include "server/full_response.h"
#include "server/streaming_response.h"

namespace app {

/// A rendition's playlist. `query`: may have _HLS_msn and _HLS_part, the segment and part that the
/// playlist has to contain before it is sent (RFC 8216bis, 6.2.5.2); the rest of it is repeated in
/// every URL. Responds with 503 if it does not by `until`.
std::unique_ptr<server::StreamingResponse> playlist_response(
    std::shared_ptr<SegmentSession> session, segments::Rendition rendition,
    const std::string& query, base::Time until);

/// The error for a query that no playlist of `stream` will ever satisfy, if it is one.
std::optional<server::FullResponse> playlist_error(const LiveStream& stream,
                                                   const std::string& query);

}  // namespace app
