#include "app/http/state_collector.h"

#include <prometheus/metric_family.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/config/version.h"
#include "app/telemetry/names.h"
#include "base/log.h"
#include "server/reading_pace.h"

namespace app {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

/// Builds the families of one scrape: a call per value, gathered by name.
class Families {
 public:
  void gauge(const std::string& name, const std::string& help, Labels labels, double value) {
    metric(name, help, MetricType::Gauge, std::move(labels)).gauge.value = value;
  }
  void counter(const std::string& name, const std::string& help, Labels labels, double value) {
    metric(name, help, MetricType::Counter, std::move(labels)).counter.value = value;
  }
  std::vector<MetricFamily> take() { return std::move(families_); }

 private:
  ClientMetric& metric(const std::string& name, const std::string& help, MetricType type,
                       Labels labels) {
    auto it = std::ranges::find(families_, name, &MetricFamily::name);
    if (it == families_.end()) it = families_.insert(it, {name, help, type, {}});
    auto& added = it->metric.emplace_back();
    added.label = std::move(labels);
    return added;
  }

  std::vector<MetricFamily> families_;
};

double count(std::uint64_t n) { return static_cast<double>(n); }
double bits_per_second(base::BitRate rate) { return static_cast<double>(rate.bps()); }

void collect_source(Families& out, const LiveStream::State& stream) {
  const auto& source = stream.media.source;
  const Labels labels{{"stream", stream.name}};
  for (const auto status :
       {transcoder::Ingest::Status::kConnecting, transcoder::Ingest::Status::kPlaying,
        transcoder::Ingest::Status::kStalled, transcoder::Ingest::Status::kWaiting}) {
    out.gauge("symcast_source_status", "1 for the state the source is in",
              {{"stream", stream.name}, {"status", name(status)}}, source.status == status ? 1 : 0);
  }
  for (const auto trouble : transcoder::all_troubles()) {
    out.gauge("symcast_source_trouble", "1 while the source has this trouble, else 0",
              {{"stream", stream.name}, {"trouble", transcoder::name(trouble)}},
              source.troubles.contains(trouble) ? 1 : 0);
  }
  const auto date = [&](const char* metric, const char* help, const auto& time) {
    if (!time) return;
    out.gauge(metric, help, labels,
              std::chrono::duration<double>{time->time_since_epoch()}.count());
  };
  date("symcast_source_away_since_timestamp_seconds",
       "Unix time since which the source has not been playing; absent while it plays",
       stream.away_since);
  date("symcast_source_last_picture_timestamp_seconds",
       "Unix time at which the source delivered its last picture", stream.last_picture);
  out.counter("symcast_source_restarts_total", "Restarts of the source", labels,
              count(source.restarts));
  for (const auto cause : transcoder::all_causes()) {
    const auto ends = source.ends.find(cause);
    out.counter("symcast_source_ends_total", "Times the source was lost, by cause",
                {{"stream", stream.name}, {"cause", transcoder::name(cause)}},
                ends == source.ends.end() ? 0 : count(ends->second));
  }
  out.counter("symcast_source_bytes_total",
              "Video and audio received from the source, without containers", labels,
              count(source.bytes));
  const auto codec = [&](const char* track, const std::string& name) {
    if (name.empty()) return;
    out.gauge("symcast_source_codec_info", "1; the label is the codec of the source",
              {{"stream", stream.name}, {"track", track}, {"codec", name}}, 1);
  };
  codec("video", source.video_codec);
  codec("audio", source.audio_codec);
  if (source.isolation) {
    const auto layer = [&](const char* layer_name, const char* mechanism, bool holds) {
      out.gauge("symcast_source_isolation", "1 if the source's process is confined in this layer",
                {{"stream", stream.name}, {"layer", layer_name}, {"mechanism", mechanism}},
                holds ? 1 : 0);
    };
    const auto [files, calls, memory] = *source.isolation;
    layer("files", transcoder::name(files), files != transcoder::FileBarrier::kNone);
    layer("system_calls", calls ? "seccomp" : "off", calls);
    layer("memory", memory ? "control_group" : "rlimit", memory);
  }
  if (source.use) {
    out.gauge("symcast_source_memory_bytes", "Memory of the source's process (source.memory)",
              labels, static_cast<double>(source.use->memory.bytes()));
    out.gauge("symcast_source_threads", "Threads of the source's process", labels,
              source.use->threads);
    out.counter("symcast_source_cpu_seconds_total", "CPU time of the source's process (source.cpu)",
                labels, base::seconds(source.use->cpu));
  }
  out.counter("symcast_source_frames_total", "Frames received from the source", labels,
              count(source.frames));
  out.counter("symcast_source_frames_repeated_total",
              "Frames repeated while the source was missing", labels,
              count(source.frames_repeated));
  out.counter("symcast_source_frames_dropped_total",
              "Frames dropped because they exceeded the frame rate limit or were out of order",
              labels, count(source.frames_dropped));
  out.counter("symcast_source_timeline_jumps_total", "Jumps of the source's clock", labels,
              count(source.timeline_jumps));
  out.gauge("symcast_source_dejitter_seconds",
            "Longest time a recent frame was held back, because frames arrived in bursts", labels,
            base::seconds(source.longest_wait));
  out.gauge("symcast_source_audio", "1 while audio arrives, else 0", labels,
            source.has_audio ? 1 : 0);
  out.counter("symcast_source_audio_dropped_seconds_total",
              "Audio dropped because it was 2 s off the video, or earlier than the first frame",
              labels, count(source.audio_dropped_samples) / media::kAudioRate);
  out.counter("symcast_source_decode_errors_total",
              "Video and audio frames dropped because they were unreadable or too small", labels,
              count(source.unreadable));
}

void collect_audio(Families& out, const LiveStream::State& stream) {
  const Labels labels{{"stream", stream.name}};
  out.counter("symcast_audio_silence_seconds_total", "Silence inserted where audio was missing",
              labels, count(stream.media.audio.silence_inserted_samples) / media::kAudioRate);
  out.counter("symcast_audio_overlap_seconds_total", "Audio dropped because it arrived twice",
              labels, count(stream.media.audio.overlap_dropped_samples) / media::kAudioRate);
  out.counter("symcast_audio_failures_total", "Audio frames lost because the encoder failed",
              labels, count(stream.media.audio.failures));
}

void collect_group(Families& out, const std::string& stream, std::uint32_t index,
                   const transcoder::EncodeGroup::State& group) {
  const Labels labels{{"stream", stream}, {"group", std::to_string(index)}};
  out.gauge("symcast_group_rate_target_bits_per_second", "Video rate requested from the encoder",
            labels, bits_per_second(group.target));
  out.gauge("symcast_group_rate_actual_bits_per_second", "Video rate over the last second", labels,
            bits_per_second(group.actual));
  out.gauge("symcast_group_height_pixels", "Height of the encoded video", labels,
            group.format.height);
  out.counter("symcast_group_frames_total", "Frames encoded", labels, count(group.frames));
  out.counter("symcast_group_frames_skipped_total",
              "Frames not encoded, to let a viewer's backlog drain", labels,
              count(group.frames_skipped));
  out.counter("symcast_group_frames_decimated_total",
              "Frames not encoded because fewer frames look better at this rate", labels,
              count(group.frames_left_out));
  out.counter("symcast_group_frames_late_total",
              "Frames dropped before encoding because the encoder was late", labels,
              count(group.frames_late));
  out.counter("symcast_group_audio_frames_dropped_total", "Audio frames dropped before muxing",
              labels, count(group.audio_dropped));
  out.counter("symcast_group_keyframes_total", "Keyframes encoded", labels, count(group.keyframes));
  out.counter("symcast_group_keyframes_forced_total", "Keyframes forced for a viewer", labels,
              count(group.keyframes_forced));
  out.counter("symcast_group_retargets_total", "Changes of the rate target", labels,
              count(group.retargets));
  out.counter("symcast_group_recovery_frames_total",
              "Frames that do not reference frames discarded for a viewer", labels,
              count(group.recoveries));
  out.counter("symcast_group_failures_total",
              "Video and audio frames lost because scaler, encoder or muxer failed", labels,
              count(group.failures));
  out.counter("symcast_group_bytes_total", "Bytes produced, container included", labels,
              count(group.bytes));
  out.counter("symcast_group_encode_seconds_total", "CPU time of the group's thread", labels,
              base::seconds(group.encode_time));
  if (!group.psnr) return;
  const auto psnr = [&](const char* plane, double value) {
    out.gauge("symcast_group_psnr_decibels", "PSNR of the last frame",
              {{"stream", stream}, {"group", std::to_string(index)}, {"plane", plane}}, value);
  };
  psnr("y", group.psnr->y);
  psnr("u", group.psnr->u);
  psnr("v", group.psnr->v);
}

void collect_ladder(Families& out, const LiveStream::State& stream) {
  for (const auto& [index, group] : stream.ladder.groups) {
    out.gauge("symcast_group_viewers", "Viewers in the group",
              {{"stream", stream.name}, {"group", std::to_string(index)}}, count(group.viewers));
  }
  out.counter("symcast_group_open_failures_total",
              "Failed attempts to open another group; viewers shared the existing ones",
              {{"stream", stream.name}}, count(stream.ladder.opens_failed));
  out.gauge("symcast_groups_max",
            "Maximum of open groups: groups.max, or as many as the CPUs can encode",
            {{"stream", stream.name}}, count(stream.ladder.max_groups));
  if (!stream.preset.empty()) {
    out.gauge("symcast_encoder_preset", "1 for the preset in use (encoder.preset)",
              {{"stream", stream.name}, {"preset", stream.preset}}, 1);
  }
  out.counter("symcast_groups_refused_total",
              "Times the CPUs could not encode all the groups wanted", {{"stream", stream.name}},
              count(stream.ladder.refused));
  out.counter("symcast_groups_shed_total", "Groups closed because the CPUs could not keep up",
              {{"stream", stream.name}}, count(stream.ladder.shed));
  out.counter("symcast_group_plans_total", "Times the groups were planned again for all viewers",
              {{"stream", stream.name}}, count(stream.ladder.plans));
  for (std::size_t i = 0; i < abr::kStandings; ++i) {
    out.gauge("symcast_viewers_by_standing",
              "Viewers whose media prove that they count in the ladder, ask for less than they can "
              "take, or are unproven",
              {{"stream", stream.name}, {"standing", abr::kStandingNames[i]}},
              count(stream.ladder.viewers[i]));
  }
  out.gauge("symcast_viewers", "Current viewers", {{"stream", stream.name}},
            count(stream.viewers()));
  const char* moves = "symcast_group_moves_total";
  const char* help = "Group changes by reason";
  for (const auto reason : {abr::Reason::kMoveDown, abr::Reason::kMoveUp, abr::Reason::kMembers,
                            abr::Reason::kShed, abr::Reason::kMerged}) {
    const auto counted = stream.ladder.moves.find(reason);
    out.counter(moves, help, {{"stream", stream.name}, {"reason", abr::name(reason)}},
                counted == stream.ladder.moves.end() ? 0 : count(counted->second));
  }
}

void collect_stream(Families& out, const LiveStream::State& stream) {
  collect_source(out, stream);
  collect_audio(out, stream);
  collect_ladder(out, stream);
  for (const auto& [index, group] : stream.media.groups) {
    collect_group(out, stream.name, index, group);
  }
}

void collect_server(Families& out, const server::ServerState& server) {
  out.counter("symcast_connections_total", "Connections accepted", {}, count(server.connections));
  out.counter("symcast_connections_refused_total",
              "Connections refused because there were too many in total or from one address", {},
              count(server.connections_refused));
  out.counter("symcast_requests_slowed_total",
              "Requests that had to wait because their address sent too many", {},
              count(server.requests_slowed));
  out.counter("symcast_responses_delayed_total",
              "Responses that had to wait because too much was unread (server.max_unread)", {},
              count(server.responses_delayed));
  out.gauge("symcast_responses_unread_bytes",
            "Bytes of pages, playlists and segments that clients have not acknowledged", {},
            static_cast<double>(server.unread));
  constexpr auto* kProxied = "symcast_proxied_requests_total";
  constexpr auto* kProxiedHelp =
      "Requests received through a proxy, which terminates the viewers' TCP connections";
  out.counter(kProxied, kProxiedHelp, {{"proxy", "trusted"}}, count(server.trusted_proxy_requests));
  out.counter(kProxied, kProxiedHelp, {{"proxy", "unknown"}}, count(server.unknown_proxy_requests));
  out.counter("symcast_accept_failures_total",
              "Pauses in accepting connections because descriptors or memory ran out", {},
              count(server.accept_failures));
  out.counter("symcast_viewers_joined_total", "Viewers that joined", {}, count(server.joined));
  out.counter("symcast_sent_bytes_total", "Bytes sent in media responses", {},
              count(server.bytes_sent));
  out.counter("symcast_packets_lost_in_handover_total",
              "Packets dropped between an encoder and a late event loop", {},
              count(server.packets_lost_in_handover));
  out.gauge("symcast_frames_per_write",
            "Maximum number of frames per write for calm viewers; above 1 while the event loops "
            "are short of time",
            {}, server.frames_per_write);
  out.counter("symcast_viewer_frames_dropped_total", "Frames dropped from viewers' queues", {},
              count(server.frames_dropped));
  out.counter("symcast_viewer_audio_frames_dropped_total",
              "Audio frames dropped from viewers' queues and at group changes", {},
              count(server.audio_frames_dropped));
  out.counter("symcast_viewer_gops_dropped_total",
              "Times a viewer's queue dropped everything up to a keyframe", {},
              count(server.gops_dropped));
  out.counter("symcast_viewer_discards_total",
              "Times a viewer's unsent frames were discarded because they were too late", {},
              count(server.discards));
  out.counter("symcast_padding_bytes_total", "Padding bytes sent to measure paths", {},
              count(server.padding_bytes));
  out.counter("symcast_viewer_frames_untracked_total",
              "Frames sent with unknown delay because too many awaited acknowledgement", {},
              count(server.frames_forgotten));
  out.counter("symcast_viewer_switches_total", "Group changes completed", {},
              count(server.switches));
  for (std::size_t status = 0; status < server.responses.size(); ++status) {
    if (server.responses[status] == 0) continue;
    out.counter("symcast_http_responses_total", "Responses by status",
                {{"code", std::to_string(status)}}, count(server.responses[status]));
  }
  for (std::size_t reason = 0; reason < server.too_slow.size(); ++reason) {
    out.counter("symcast_responses_too_slow_total",
                "Connections reset because the client read its response too slowly, by reason",
                {{"reason", name(static_cast<server::TooSlow>(reason))}},
                count(server.too_slow[reason]));
  }
  for (std::size_t i = 0; i < server::Places::kFullCount; ++i) {
    const Labels limit{{"reason", name(static_cast<server::Places::Full>(i))}};
    out.counter("symcast_viewers_refused_total",
                "Viewers refused because every place was taken and earned, by the limit reached: "
                "in_all (server.max_viewers) or address (server.max_viewers_per_address)",
                limit, count(server.places.refused[i].times));
    out.counter("symcast_viewers_evicted_total",
                "Viewers who took no media and lost their place to a newcomer, by the limit "
                "reached",
                limit, count(server.places.evicted[i].times));
  }
  for (std::size_t reason = 0; reason < server.left.size(); ++reason) {
    out.counter("symcast_viewers_left_total", "Viewers that left, by reason",
                {{"reason", name(static_cast<server::LeaveReason>(reason))}},
                count(server.left[reason]));
  }
}

void collect_viewer(Families& out, const ViewerTelemetry& viewer) {
  const Labels labels{{"stream", viewer.stream}, {"viewer", std::to_string(viewer.id)}};
  out.gauge("symcast_viewer_info", "1; the labels say who the viewer is",
            {{"stream", viewer.stream},
             {"viewer", std::to_string(viewer.id)},
             {"address", viewer.address.text()},
             {"format", viewer.format},
             {"user_agent", viewer.user_agent}},
            1);
  out.gauge("symcast_viewer_rtt_seconds", "Smoothed round-trip time", labels,
            base::seconds(viewer.rtt));
  out.gauge("symcast_viewer_min_rtt_seconds", "Minimum round-trip time", labels,
            base::seconds(viewer.min_rtt));
  out.gauge("symcast_viewer_cwnd_segments", "Congestion window", labels, viewer.cwnd);
  if (viewer.ssthresh) {
    out.gauge("symcast_viewer_ssthresh_segments", "Slow-start threshold; absent while infinite",
              labels, *viewer.ssthresh);
  }
  out.gauge("symcast_viewer_delivery_rate_bits_per_second",
            "Delivery rate as estimated by the kernel", labels,
            bits_per_second(viewer.delivery_rate));
  if (viewer.path.capacity.bps() > 0) {
    out.gauge("symcast_viewer_capacity_bits_per_second",
              "Estimated capacity of the path; absent while unknown", labels,
              bits_per_second(viewer.path.capacity));
  }
  if (viewer.path.policer_rate.bps() > 0) {
    out.gauge("symcast_viewer_policer_rate_bits_per_second",
              "Rate of the policer (token bucket) on the path; absent if none was found", labels,
              bits_per_second(viewer.path.policer_rate));
  }
  out.gauge("symcast_viewer_queueing_delay_seconds",
            "Minimum queueing delay of the latest three frames", labels,
            base::seconds(viewer.path.queueing_delay));
  out.gauge("symcast_viewer_cross_traffic",
            "1 if cross traffic keeps the path's queue filled, else 0", labels,
            viewer.path.cross_traffic ? 1 : 0);
  out.gauge("symcast_viewer_rate_target_bits_per_second",
            "Video rate that the policy allows the viewer", labels, bits_per_second(viewer.target));
  out.gauge("symcast_viewer_backlog_seconds", "Unsent data, as time at the served rate", labels,
            base::seconds(viewer.backlog));
  out.gauge("symcast_viewer_behind_live_seconds", "Age of the latest acknowledged frame", labels,
            base::seconds(viewer.behind_live));
  out.gauge("symcast_viewer_last_reason", "1 for the reason of the last rate change",
            {{"stream", viewer.stream},
             {"viewer", std::to_string(viewer.id)},
             {"reason", abr::name(viewer.reason)}},
            1);
}

/// The names are those of Prometheus' client libraries.
void collect_process(Families& out, const ProcessState& process) {
  out.gauge("symcast_build_info", "1; the label is the version", {{"version", kVersion}}, 1);
  out.counter("process_cpu_seconds_total", "User and system CPU time", {}, process.cpu_seconds);
  out.gauge("process_start_time_seconds", "Unix time at which the process began", {},
            process.start_seconds);
  out.gauge("process_resident_memory_bytes", "Memory in RAM", {}, count(process.resident_bytes));
  out.gauge("process_virtual_memory_bytes", "Address space", {}, count(process.virtual_bytes));
  out.gauge("process_open_fds", "File descriptors in use", {}, count(process.open_descriptors));
  out.gauge("process_max_fds", "Limit of file descriptors", {}, count(process.max_descriptors));
}

void collect_loop(Families& out, const LoopBudgets::State& state) {
  const auto nth = [&](const char* kind, unsigned value) {
    out.gauge("symcast_telemetry_every_nth_frame",
              "Each viewer's connection is measured on every n-th frame; 0 means never",
              {{"loop", std::to_string(state.loop)}, {"kind", kind}}, value);
  };
  nth("tcp_info", state.sampled_every_nth);
  nth("ack_timestamps", state.timestamped_every_nth);
}

void collect_ends(Families& out, const FinalStatistics::State& ends) {
  const char* ended = "symcast_connections_closed_total";
  const char* help =
      "Viewers' connections that ended, by statistics: final (reported by the kernel at the end) "
      "or last_seen (as of the viewer's leaving)";
  out.counter(ended, help, {{"statistics", "final"}}, count(ends.final_reports));
  out.counter(ended, help, {{"statistics", "last_seen"}}, count(ends.last_seen_reports));
  out.counter("symcast_connection_close_events_lost_total",
              "Reports of ended connections that the kernel dropped because its buffer was full",
              {}, count(ends.lost));
  out.gauge("symcast_connections_closing",
            "Connections whose viewer has left but whose end is not yet reported", {},
            count(ends.pending));
  if (ends.totals.timeouts) {
    out.counter("symcast_tcp_timeouts_total",
                "Retransmission timeouts of connections that have ended (Linux 6.7 and later)", {},
                count(*ends.totals.timeouts));
  }
  out.counter("symcast_tcp_busy_seconds_total",
              "Time in which connections that have ended had data in flight", {},
              base::seconds(ends.totals.busy));
  out.counter("symcast_tcp_receiver_limited_seconds_total",
              "Part of symcast_tcp_busy_seconds_total spent waiting for viewers to read", {},
              base::seconds(ends.totals.rwnd_limited));
}

void collect_on_demand(Families& out, const OnDemand::State& state) {
  const auto segments = [&](const char* result, std::uint64_t value) {
    out.counter(
        "symcast_on_demand_segments_total",
        "Segments requested at a rate of the player's own: coded (encoded on request), shared "
        "(with an earlier request or a group), substituted (another rate, because no CPU time was "
        "left), or failed",
        {{"result", result}}, count(value));
  };
  segments("coded", state.coded);
  segments("shared", state.shared);
  segments("substituted", state.substituted);
  segments("failed", state.failed);
  out.counter("symcast_on_demand_seconds_total", "CPU time spent on segments encoded on request",
              {}, base::seconds(state.cpu_time));
}

}  // namespace

std::vector<MetricFamily> StateCollector::Collect() const {
  const Snapshot snapshot = snapshot_();
  Families out;
  for (const auto& stream : snapshot.streams) collect_stream(out, stream);
  collect_server(out, snapshot.server);
  collect_process(out, snapshot.process);
  out.gauge("symcast_viewers_max", "server.max_viewers", {}, count(snapshot.max_viewers));
  out.gauge("symcast_viewers_at_one_address",
            "Viewers at the address that most share, if it is less than 1 ms away and has three or "
            "more: a proxy may be there",
            {}, count(snapshot.at_one_address));
  for (const auto& viewer : snapshot.viewers) collect_viewer(out, viewer);
  out.counter("symcast_congestion_events_lost_total",
              "Pushed congestion events lost because the buffer to an event loop was full", {},
              count(snapshot.events_lost));
  for (const auto& loop : snapshot.loops) collect_loop(out, loop);
  collect_ends(out, snapshot.ends);
  collect_on_demand(out, snapshot.on_demand);
  out.counter(
      "symcast_segment_requests_refused_total",
      "Requests of HLS and DASH players that got 503 because their player had six responses "
      "under way",
      {}, count(snapshot.segment_requests_refused));
  out.counter("symcast_log_lines_dropped_total",
              "Log lines dropped because stderr was slow, stuck or closed", {},
              count(base::log::lines_dropped()));
  out.counter("symcast_log_lines_left_out_total",
              "Log lines left out because there were too many of one kind, or about one address",
              {}, count(base::log::lines_left_out()));
  out.counter("symcast_trace_lines_dropped_total",
              "Trace lines lost because the disk was slow or writing failed", {},
              count(snapshot.trace_lines_lost));
  out.counter("symcast_event_lines_dropped_total",
              "Viewer event lines lost because a reader of /api/v1/viewers/ID/events or "
              "/api/v1/trace was slow",
              {}, count(snapshot.event_lines_lost));
  out.gauge("symcast_traces_open", "Readers of /api/v1/trace", {}, count(snapshot.traces));
  for (const auto& [option, times] : snapshot.options_refused) {
    out.counter("symcast_socket_options_ignored_total",
                "Times the kernel refused an option of a viewer's socket", {{"option", option}},
                count(times));
  }
  return out.take();
}

}  // namespace app
