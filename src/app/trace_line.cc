#include "app/trace_line.h"

#include <nlohmann/json.hpp>

#include "app/names.h"

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

/// Null: infinite.
json segments(std::optional<std::uint32_t> ssthresh) {
  return ssthresh ? json(*ssthresh) : json(nullptr);
}

/// Null: there is none.
json rate(base::BitRate rate) { return rate.bps() > 0 ? json(rate.bps()) : json(nullptr); }

/// When a picture was acknowledged; null: never.
json acked(const std::optional<FrameDelivery>& delivery) {
  if (!delivery) return nullptr;
  return at(delivery->at);
}

json source(const std::optional<FrameDelivery>& delivery) {
  if (!delivery) return nullptr;
  return name(delivery->source);
}

}  // namespace

std::string join(const server::ViewerTick& tick, base::Time requested,
                 const tcpinfo::AppliedHints& applied) {
  return json{{"event", "join"},
              {"at", at(tick.now)},
              {"requested", at(requested)},
              {"viewer", tick.state.id},
              {"stream", tick.state.stream},
              {"group", tick.state.channel.group},
              {"address", tick.state.address.text()},
              {"user_agent", tick.state.user_agent},
              {"congestion_control", applied.congestion_control},
              {"cwnd", applied.cwnd},
              {"ssthresh", segments(applied.ssthresh)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string frame(const server::SentFrame& frame, const std::optional<FrameDelivery>& delivery,
                  base::BitRate capacity) {
  return json{{"event", "frame"},
              {"number", frame.number},
              {"pts", base::seconds(frame.pts)},
              {"keyframe", frame.keyframe},
              {"captured", at(frame.captured)},
              {"departed", at(frame.departed)},
              {"acked", acked(delivery)},
              {"acked_source", source(delivery)},
              {"head_acked", optional_time(delivery ? delivery->head : std::nullopt)},
              {"capacity", rate(capacity)},
              {"target_bits", frame.target.bits()},
              {"bits", frame.size.bits()},
              {"padding_bits", frame.padding.bits()},
              {"psnr", psnr(frame.psnr)}}
      .dump();
}

std::string event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                  base::Time now) {
  return json{{"event", "congestion"},
              {"kind", tcpinfo::name(event.kind)},
              {"source", tcpinfo::name(source)},
              {"at", at(event.at)},
              {"seen", at(now)},
              {"cwnd", event.cwnd},
              {"ssthresh", segments(event.ssthresh)},
              {"srtt", base::seconds(event.srtt)},
              {"sacked", event.sacked},
              {"lost", event.lost}}
      .dump();
}

std::string decision(const abr::Decision& decision, const abr::PathState& path, base::Time now) {
  return json{{"event", "decision"},
              {"at", at(now)},
              {"rate", decision.rate.bps()},
              {"reason", abr::name(decision.reason)},
              {"capacity", rate(path.capacity)},
              {"service", rate(path.service)},
              {"policed", rate(path.policed)},
              {"allowance", rate(path.allowance)},
              {"backlog", path.backlog.bytes()},
              {"queueing", base::seconds(path.queueing)},
              {"shared", path.shared}}
      .dump();
}

std::string discard(media::PictureRange pictures, base::Time now) {
  return json{
      {"event", "discard"}, {"at", at(now)}, {"first", pictures.first}, {"last", pictures.last}}
      .dump();
}

std::string group(std::uint32_t group, base::Time now) {
  return json{{"event", "group"}, {"at", at(now)}, {"group", group}}.dump();
}

std::string leave(const server::ViewerTick& tick, server::LeaveReason reason) {
  return json{{"event", "leave"},
              {"at", at(tick.now)},
              {"reason", name(reason)},
              {"bytes", tick.state.sent.bytes()},
              {"frames_sent", tick.state.frames_sent},
              {"frames_dropped", tick.state.frames_dropped}}
      .dump();
}

}  // namespace app::trace_line
