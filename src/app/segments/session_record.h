#pragma once

#include "abr/rate_policy.h"
#include "app/segments/session_rate.h"
#include "app/telemetry/viewer_record.h"
#include "media/packet.h"
#include "tcpinfo/congestion_event.h"
#include "tcpinfo/tcp_sample.h"

namespace app {

/// The telemetry of a segment player, for metrics, trace and pages, like that of every other
/// viewer. Used under its session's mutex.
class SessionRecord {
 public:
  /// `viewer`: the facts known from the start.
  SessionRecord(ViewerTelemetry viewer, Trace* trace, ViewerTaps& taps, base::Time now);

  void add_report(const SessionRate::ConnectionReport& report, const tcpinfo::TcpSample& sample,
                  const SessionRate& rate, base::Time now);
  void add_decision(const abr::Decision& decision, base::Time now);
  void add_discard(media::FrameRange frames, base::Time now);
  void add_event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                 base::Time now) {
    record_.event(event, source, now);
  }
  void add_sent(base::ByteCount amount) { record_.viewer().bytes_sent += amount; }
  /// `served`: target rate of the viewer's group. `target`: the rate the viewer can take.
  void update(std::uint32_t group, base::BitRate served, base::BitRate target, base::Time now);
  void end(base::Time now);

  const ViewerTelemetry& viewer() const { return record_.viewer(); }

 private:
  ViewerRecord record_;
};

}  // namespace app
