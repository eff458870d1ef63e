#include "app/http/state_collector.h"

#include <prometheus/metric_family.h>

#include <string>
#include <utility>

#include "app/http/metric_families.h"
#include "app/http/server_metrics.h"
#include "app/http/stream_metrics.h"
#include "app/telemetry/names.h"
#include "base/log.h"

namespace app {

namespace {

using prometheus::MetricFamily;

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
  collect_networks(out, snapshot.networks);
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
