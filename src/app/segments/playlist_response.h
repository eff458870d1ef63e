#pragma once

#include <memory>
#include <string>

#include "app/segments/session.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

/// A rendition's playlist. `query`: _HLS_msn and _HLS_part, which say what it has to hold before it
/// is sent (RFC 8216bis, 6.2.5.2).
std::unique_ptr<server::StreamingResponse> playlist_response(
    std::shared_ptr<SegmentSession> session, segments::Rendition rendition,
    const std::string& query, base::Time until);

}  // namespace app
