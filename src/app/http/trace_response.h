#pragma once

#include <memory>

#include "app/telemetry/viewer_taps.h"
#include "base/units.h"
#include "server/slots.h"
#include "server/streaming_response.h"

namespace app {

/// Time without a line after which an `idle` line follows: so a connection that has died is found.
/// A shorter one fills files, a longer one lets people doubt that the trace is alive.
inline constexpr base::Duration kTraceIdleInterval = std::chrono::seconds{10};

/// The lines that `watch` gets, one JSON object per line (docs/TRACE.md), until the only viewer
/// leaves, or without end. `slot`: given back at the end.
std::unique_ptr<server::StreamingResponse> trace_response(ViewerWatch watch,
                                                          server::Slots::Slot slot);

}  // namespace app
