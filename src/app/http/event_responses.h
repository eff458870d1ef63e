#pragma once

#include <memory>

#include "app/http/state_events.h"
#include "app/telemetry/viewer_taps.h"
#include "server/streaming_response.h"

/// Server-sent events: responses of type text/event-stream. A reader that is late misses old states
/// and lines, and receives the newest.
namespace app::event_responses {

/// The state of all streams, repeated without end, and sent at once when it changes. `events` must
/// outlive the response.
std::unique_ptr<server::StreamingResponse> states(StateEvents& events);
/// One viewer's lines, until the viewer leaves.
std::unique_ptr<server::StreamingResponse> lines(ViewerWatch viewer);

}  // namespace app::event_responses
