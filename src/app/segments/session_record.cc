#include "app/segments/session_record.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "app/telemetry/trace_line.h"

namespace app {

SessionRecord::SessionRecord(ViewerTelemetry viewer, Trace* trace, ViewerTaps& taps, base::Time now)
    : record_{std::move(viewer), trace, taps, std::nullopt} {
  record_.begin(trace_line::join(record_.viewer(), now));
}

void SessionRecord::add_report(const SessionRate::ConnectionReport& report,
                               const tcpinfo::TcpSample& sample, const SessionRate& rate,
                               base::Time now) {
  auto& viewer = record_.viewer();
  record_.sampled(sample);
  viewer.in_flight = base::ByteCount{std::int64_t{sample.unacked} * sample.mss};
  viewer.backlog = rate.late();
  viewer.path.capacity = rate.throughput().value_or(base::BitRate{});
  record_.acknowledged(report.captured);
  record_.update_behind_live(now);
}

void SessionRecord::add_decision(const abr::Decision& decision, base::Time now) {
  record_.decided(decision, record_.viewer().path, now);
}

void SessionRecord::add_discard(media::FrameRange frames, base::Time now) {
  record_.put([&] { return trace_line::discard(frames, now); });
}

void SessionRecord::update(std::uint32_t group, base::BitRate served, base::BitRate target,
                           base::Time now) {
  auto& viewer = record_.viewer();
  if (record_.set_group(group, now)) ++viewer.switches;
  viewer.target = target;
  record_.watch_picture({}, now);
  record_.trace_sample(served, now);
}

void SessionRecord::end(base::Time now) { record_.end(trace_line::leave(record_.viewer(), now)); }

}  // namespace app
