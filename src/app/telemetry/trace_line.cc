#include "app/telemetry/trace_line.h"

#include <nlohmann/json.hpp>

#include "app/telemetry/names.h"
#include "base/log.h"

namespace app::trace_line {

namespace {

using nlohmann::json;

double at(base::Time time) { return base::seconds(time.time_since_epoch()); }

json psnr(const std::optional<media::Psnr>& value) {
  if (!value) return nullptr;
  return {value->y, value->u, value->v};
}

json optional_time(std::optional<base::Time> time) {
  if (!time) return nullptr;
  return at(*time);
}

/// Null if infinite.
json segments(std::optional<std::uint32_t> ssthresh) {
  return ssthresh ? json(*ssthresh) : json(nullptr);
}

/// Null if zero.
json rate(base::BitRate rate) { return rate.bps() > 0 ? json(rate.bps()) : json(nullptr); }

json rate(const std::optional<base::BitRate>& rate) {
  return rate ? json(rate->bps()) : json(nullptr);
}

/// Null if zero, which means unknown.
json duration(base::Duration time) {
  return time > base::Duration{} ? json(base::seconds(time)) : json(nullptr);
}

/// When the frame was acknowledged; null if never.
json acked(const std::optional<FrameDelivery>& delivery) {
  if (!delivery) return nullptr;
  return at(delivery->at);
}

json source(const std::optional<FrameDelivery>& delivery) {
  if (!delivery) return nullptr;
  return name(delivery->source);
}

/// Strings from the viewer may have any encoding; invalid bytes are replaced.
Line line(const char* event, json fields) {
  fields["event"] = event;
  return {event, fields.dump(-1, ' ', false, json::error_handler_t::replace)};
}

}  // namespace

Line join(const server::ViewerTick& tick, base::Time requested,
          const tcpinfo::AppliedHints& applied) {
  return line("join", {{"at", at(tick.now)},
                       {"wall", base::log::wall_time(tick.now)},
                       {"requested", at(requested)},
                       {"viewer", tick.state.id},
                       {"stream", tick.state.stream},
                       {"group", tick.state.channel.group},
                       {"address", tick.state.address.text()},
                       {"user_agent", tick.state.user_agent},
                       {"congestion_control", applied.congestion_control},
                       {"cwnd", applied.cwnd},
                       {"ssthresh", segments(applied.ssthresh)}});
}

Line join(const ViewerTelemetry& viewer, base::Time now) {
  return line("join", {{"at", at(now)},
                       {"wall", base::log::wall_time(now)},
                       {"requested", at(viewer.connected)},
                       {"viewer", viewer.id},
                       {"stream", viewer.stream},
                       {"group", viewer.group},
                       {"address", viewer.address.text()},
                       {"user_agent", viewer.user_agent},
                       {"congestion_control", nullptr},
                       {"cwnd", nullptr},
                       {"ssthresh", nullptr}});
}

Line frame(const server::SentFrame& frame, const std::optional<FrameDelivery>& delivery,
           base::BitRate capacity) {
  return line("frame", {{"number", frame.number},
                        {"pts", base::seconds(frame.pts)},
                        {"keyframe", frame.keyframe},
                        {"captured", at(frame.captured)},
                        {"departed", at(frame.departed)},
                        {"acked", acked(delivery)},
                        {"acked_source", source(delivery)},
                        {"head_acked", optional_time(delivery ? delivery->head : std::nullopt)},
                        {"capacity", rate(capacity)},
                        {"target_bits", 8 * std::uint64_t{frame.target}},
                        {"bits", 8 * std::uint64_t{frame.size}},
                        {"padding_bits", 8 * std::uint64_t{frame.padding}},
                        {"psnr", psnr(frame.psnr)}});
}

Line event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source, base::Time now) {
  return line("congestion", {{"kind", tcpinfo::name(event.kind)},
                             {"source", tcpinfo::name(source)},
                             {"at", at(event.at)},
                             {"seen", at(now)},
                             {"cwnd", event.cwnd},
                             {"ssthresh", segments(event.ssthresh)},
                             {"srtt", base::seconds(event.srtt)},
                             {"sacked", event.sacked},
                             {"lost", event.lost}});
}

Line decision(const abr::Decision& decision, const abr::PathState& path, base::Time now) {
  return line("decision", {{"at", at(now)},
                           {"rate", decision.rate.bps()},
                           {"reason", abr::name(decision.reason)},
                           {"capacity", rate(path.capacity)},
                           {"drain_rate", rate(path.drain_rate)},
                           {"policer_rate", rate(path.policer_rate)},
                           {"cwnd_rate", rate(path.cwnd_rate)},
                           {"backlog", path.backlog.bytes()},
                           {"queueing_delay", base::seconds(path.queueing_delay)},
                           {"cross_traffic", path.cross_traffic}});
}

Line congestion_control(abr::CongestionControl to, base::Time now) {
  return line("congestion_control", {{"at", at(now)}, {"congestion_control", abr::name(to)}});
}

Line discard(media::FrameRange frames, base::Time now) {
  return line("discard", {{"at", at(now)}, {"first", frames.first}, {"last", frames.last}});
}

Line group(std::uint32_t group, base::Time now) {
  return line("group", {{"at", at(now)}, {"group", group}});
}

Line sample(const ViewerTelemetry& viewer, base::BitRate served, std::optional<base::BitRate> sent,
            base::Time now) {
  return line("sample", {{"at", at(now)},
                         {"target", viewer.target.bps()},
                         {"served", rate(served)},
                         {"rate", rate(sent)},
                         {"capacity", rate(viewer.path.capacity)},
                         {"rtt", duration(viewer.rtt)},
                         {"cwnd", viewer.cwnd},
                         {"ssthresh", segments(viewer.ssthresh)},
                         {"in_flight", viewer.in_flight.bytes()},
                         {"backlog", base::seconds(viewer.backlog)},
                         {"behind_live", duration(viewer.behind_live)}});
}

Line leave(const server::ViewerTick& tick, server::LeaveReason reason) {
  return line("leave", {{"at", at(tick.now)},
                        {"reason", name(reason)},
                        {"bytes", tick.state.sent.bytes()},
                        {"frames_sent", tick.state.frames_sent},
                        {"frames_dropped", tick.state.frames_dropped}});
}

/// The player has stopped sending requests.
Line leave(const ViewerTelemetry& viewer, base::Time now) {
  return line("leave", {{"at", at(now)},
                        {"reason", name(server::LeaveReason::kClosedByViewer)},
                        {"bytes", viewer.bytes_sent.bytes()},
                        {"frames_sent", nullptr},
                        {"frames_dropped", nullptr}});
}

Line trace(base::Time now) {
  return line("trace", {{"at", at(now)}, {"wall", base::log::wall_time(now)}});
}

Line dropped(std::uint64_t lines, base::Time now) {
  return line("dropped", {{"at", at(now)}, {"lines", lines}});
}

Line idle(base::Time now) { return line("idle", {{"at", at(now)}}); }

}  // namespace app::trace_line
