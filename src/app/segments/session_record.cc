#include "app/segments/session_record.h"

#include <algorithm>
#include <utility>

#include "app/telemetry/trace_line.h"

namespace app {

SessionRecord::SessionRecord(ViewerTelemetry viewer, Trace* trace, ViewerTaps& taps, base::Time now)
    : viewer_{std::move(viewer)}, lines_{trace, taps, viewer_.id} {
  lines_.begin(viewer_.stream, trace_line::join(viewer_, now));
}

void SessionRecord::add_report(const SessionRate::ConnectionReport& report,
                               const tcpinfo::TcpSample& sample, const SessionRate& rate,
                               base::Time now) {
  viewer_.rtt = sample.rtt;
  viewer_.min_rtt = sample.min_rtt;
  viewer_.cwnd = sample.cwnd;
  viewer_.ssthresh = sample.ssthresh;
  viewer_.delivery_rate = sample.delivery_rate;
  viewer_.in_flight = base::ByteCount{std::int64_t{sample.unacked} * sample.mss};
  viewer_.backlog = rate.late();
  viewer_.path.capacity = rate.throughput().value_or(base::BitRate{});
  captured_ = std::max(captured_, report.captured);
  if (captured_ > base::Time{}) viewer_.behind_live = now - captured_;
}

void SessionRecord::add_decision(const abr::Decision& decision, base::Time now) {
  viewer_.target = decision.rate;
  viewer_.reason = decision.reason;
  lines_.put([&] { return trace_line::decision(decision, viewer_.path, now); });
}

void SessionRecord::add_event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                              base::Time now) {
  ++viewer_.events;
  lines_.put([&] { return trace_line::event(event, source, now); });
}

void SessionRecord::update(std::uint32_t group, base::BitRate served, base::BitRate target,
                           base::Time now) {
  if (group != std::exchange(viewer_.group, group)) {
    ++viewer_.switches;
    lines_.put([&] { return trace_line::group(group, now); });
  }
  viewer_.target = target;
  if (!lines_.wanted()) return;
  const auto rate = send_rate_.sample(viewer_.bytes_sent, now);
  lines_.put([&] { return trace_line::sample(viewer_, served, rate, now); });
}

void SessionRecord::end(base::Time now) { lines_.end(trace_line::leave(viewer_, now)); }

}  // namespace app
