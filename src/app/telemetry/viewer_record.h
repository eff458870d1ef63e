#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "abr/rate_policy.h"
#include "app/telemetry/bad_picture.h"
#include "app/telemetry/send_rate.h"
#include "app/telemetry/session_lines.h"
#include "app/telemetry/trace_line.h"
#include "app/telemetry/viewer_table.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// One viewer's telemetry, as metrics and pages show it, and the lines of their trace. Shared by
/// endless viewers and segment players. Not thread-safe.
class ViewerRecord {
 public:
  /// `viewer`: the fields known at the start. `trace` may be null. `tolerated`: see BadPicture.
  ViewerRecord(ViewerTelemetry viewer, Trace* trace, ViewerTaps& taps,
               std::optional<base::Duration> tolerated);

  void begin(trace_line::Line join) { lines_.begin(viewer_.stream, std::move(join)); }
  void end(trace_line::Line leave);
  /// `make` returns the line; it is called only if there is a trace or somebody watches.
  template <typename Make>
  void put(Make make) {
    lines_.put(std::move(make));
  }

  void event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source, base::Time now);
  void decided(const abr::Decision& decision, const abr::PathState& path, base::Time at);
  /// The viewer's frames come from `group` now. Returns whether the group has changed.
  bool set_group(std::uint32_t group, base::Time now);
  void sampled(const tcpinfo::TcpSample& sample);
  /// The viewer has acknowledged a frame that was captured at `captured`.
  void acknowledged(base::Time captured) {
    newest_captured_ = std::max(newest_captured_, captured);
  }
  void update_behind_live(base::Time now);

  /// Logs a time in which the picture was bad. Call a few times per second.
  void watch_picture(base::Duration frame_interval, base::Time now) {
    log(bad_picture_.update(viewer_, frame_interval, now));
  }

  /// As of the last update_behind_live().
  bool late(base::Duration frame_interval) const {
    return bad_picture_.is_late(viewer_, frame_interval);
  }

  /// Whether the table of viewers is due for a new copy, which it is four times per second.
  bool publish_due(base::Time now);
  /// Writes a `sample` line, at most ten per second. `served`: target rate of the viewer's group.
  void trace_sample(base::BitRate served, base::Time now);

  ViewerTelemetry& viewer() { return viewer_; }
  const ViewerTelemetry& viewer() const { return viewer_; }

 private:
  void log(const std::optional<BadPicture::Report>& report) const;

  ViewerTelemetry viewer_;
  SessionLines lines_;
  BadPicture bad_picture_;
  SendRate send_rate_;
  base::Time newest_captured_{};
  base::Time next_publish_{};
  base::Time next_sample_{};
};

}  // namespace app
