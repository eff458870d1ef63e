#pragma once

#include <memory>

#include "app/http/state_events.h"
#include "app/telemetry/viewer_taps.h"
#include "server/streaming_response.h"

/// Server-sent events: answers of the type text/event-stream, which end with what they tell of. A
/// reader who is late finds the newest state, and the newest lines.
namespace app::event_responses {

/// The state of everything, again and again. `events` must outlive it.
std::unique_ptr<server::StreamingResponse> states(StateEvents& events);
/// One viewer's lines, until he leaves.
std::unique_ptr<server::StreamingResponse> lines(ViewerWatch viewer);

}  // namespace app::event_responses
