#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "abr/congestion_control.h"
#include "abr/rate_policy.h"
#include "app/tcp/frame_deliveries.h"
#include "app/telemetry/viewer_table.h"
#include "server/handler.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/socket_hints.h"

/// The lines of a session's trace, as docs/TRACE.md describes them. Times are seconds on the
/// monotonic clock, rates bit/s.
namespace app::trace_line {

/// One line of JSON. `event` is the value of its field `event`.
struct Line {
  const char* event;
  std::string text;
};

Line join(const server::ViewerTick& tick, base::Time requested,
          const tcpinfo::AppliedHints& applied);
/// For a segment player, which has several connections, or none at the moment.
Line join(const ViewerTelemetry& viewer, base::Time now);
/// `delivery` is nullopt if no acknowledgement of the frame was seen. `capacity`: of the path, as
/// known before this frame; zero if unknown.
Line frame(const server::SentFrame& frame, const std::optional<FrameDelivery>& delivery,
           base::BitRate capacity);
/// `now`: when the event reached us.
Line event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source, base::Time now);
/// `path`: the state of the path that the decision is based on.
Line decision(const abr::Decision& decision, const abr::PathState& path, base::Time now);
/// `frames` were discarded before they were sent.
Line discard(media::FrameRange frames, base::Time now);
/// The connection has changed to that congestion control.
Line congestion_control(abr::CongestionControl to, base::Time now);
/// From now on the viewer receives the frames of `group`.
Line group(std::uint32_t group, base::Time now);
/// The state of the viewer's connection. `served`: target rate of the viewer's group; `sent`: rate
/// sent in the last second, nullopt if unknown.
Line sample(const ViewerTelemetry& viewer, base::BitRate served, std::optional<base::BitRate> sent,
            base::Time now);
Line leave(const server::ViewerTick& tick, server::LeaveReason reason);
/// For a segment player.
Line leave(const ViewerTelemetry& viewer, base::Time now);

// Lines of /api/v1/trace alone.

/// The first one.
Line trace(base::Time now);
/// The reader was slow and has lost the `lines` that would have come here.
Line dropped(std::uint64_t lines, base::Time now);
/// There has been no line for a while.
Line idle(base::Time now);

}  // namespace app::trace_line
