#pragma once

#include <memory>
#include <string>

#include "app/segments/session.h"
#include "segments/target.h"
#include "server/streaming_response.h"

namespace app {

/// The page with the time, for players whose clocks are wrong (DASH's UTCTiming).
inline constexpr const char* kTimePath = "/api/v1/time";

/// Where a session begins: HLS's multivariant playlist, or DASH's manifest. They wait for the
/// stream's headers.
std::unique_ptr<server::StreamingResponse> multivariant_response(
    std::shared_ptr<SegmentSession> session, segments::Choice choice, base::Time until);
std::unique_ptr<server::StreamingResponse> manifest_response(
    std::shared_ptr<SegmentSession> session, segments::Choice choice, base::Time until);

}  // namespace app
