#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "abr/rate_policy.h"
#include "app/tcp/frame_deliveries.h"
#include "app/telemetry/viewer_table.h"
#include "server/handler.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/socket_hints.h"

/// The lines of a session's trace, as docs/TRACE.md describes them. Times are seconds on the
/// monotonic clock, rates bit/s.
namespace app::trace_line {

/// A line, and what its field `event` says.
struct Line {
  const char* event;
  std::string text;
};

Line join(const server::ViewerTick& tick, base::Time requested,
          const tcpinfo::AppliedHints& applied);
/// The same of a segment player, who has several connections, or none at the moment.
Line join(const ViewerTelemetry& viewer, base::Time now);
/// `delivery` is empty for a frame that was never seen acknowledged; `capacity`: as known then,
/// zero: not at all.
Line frame(const server::SentFrame& frame, const std::optional<FrameDelivery>& delivery,
           base::BitRate capacity);
/// `now`: when we learnt of it.
Line event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source, base::Time now);
/// `path`: what it rests on.
Line decision(const abr::Decision& decision, const abr::PathState& path, base::Time now);
/// Frames that were not sent and never will be.
Line discard(media::FrameRange frames, base::Time now);
/// From now on the viewer is given the frames of `group`.
Line group(std::uint32_t group, base::Time now);
/// How he is served at the moment. `rate`: what was sent in the last second; empty: not known.
Line sample(const ViewerTelemetry& viewer, base::BitRate served, std::optional<base::BitRate> rate,
            base::Time now);
Line leave(const server::ViewerTick& tick, server::LeaveReason reason);
Line leave(const ViewerTelemetry& viewer, base::Time now);

}  // namespace app::trace_line
