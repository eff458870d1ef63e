#include "app/http/server_metrics.h"

#include <string>

#include "app/config/version.h"
#include "app/telemetry/names.h"
#include "server/reading_pace.h"

namespace app {

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
  out.counter(
      "symcast_responses_writing_seconds_total",
      "Time that event loops spent writing pages, playlists and segments, of which each may "
      "spend half of its time",
      {}, base::seconds(server.writing));
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

void collect_networks(Families& out, const KnownNetworks::State& state) {
  constexpr auto* kNetworks = "symcast_networks";
  constexpr auto* kHelp =
      "Networks of viewers (IPv4 /24, IPv6 /48) by the congestion control that served them best";
  for (std::size_t i = 0; i < state.best.size(); ++i) {
    out.gauge(kNetworks, kHelp, {{"best", abr::name(static_cast<abr::CongestionControl>(i))}},
              static_cast<double>(state.best[i]));
  }
  out.gauge(kNetworks, kHelp, {{"best", "unknown"}}, static_cast<double>(state.unknown));
  out.counter("symcast_networks_forgotten_total",
              "Networks forgotten because there were too many others", {},
              static_cast<double>(state.forgotten));
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

}  // namespace app
