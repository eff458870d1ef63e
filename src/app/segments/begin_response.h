#pragma once

#include <memory>
#include <string>

#include "app/segments/session.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

/// The page with the current time, for players whose clocks are wrong (DASH's UTCTiming).
inline constexpr const char* kTimePath = "/api/v1/time";

/// The response that starts a session: the multivariant playlist of HLS, or the manifest of DASH.
/// Waits for the stream's headers, and responds with 503 if they have not come by `until`. `choice`
/// says whether it lists one rendition or a ladder.
std::unique_ptr<server::StreamingResponse> multivariant_response(
    std::shared_ptr<SegmentSession> session, segments::Choice choice, base::Time until);
std::unique_ptr<server::StreamingResponse> manifest_response(
    std::shared_ptr<SegmentSession> session, segments::Choice choice, base::Time until);

}  // namespace app
