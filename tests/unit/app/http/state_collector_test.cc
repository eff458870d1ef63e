#include "app/http/state_collector.h"

#include <gtest/gtest.h>
#include <prometheus/metric_family.h>

#include <algorithm>
#include <set>

#include "app/telemetry/metrics.h"

namespace app {
namespace {

using tcpinfo::EventSource;

StateCollector::Snapshot busy() {
  StateCollector::Snapshot snapshot;
  for (const char* name : {"a", "b"}) {
    LiveStream::State stream;
    stream.name = name;
    stream.media.groups[0].psnr = media::Psnr{40, 41, 42};
    stream.ladder.groups[0].viewers = 3;
    snapshot.streams.push_back(stream);
  }
  snapshot.server.responses.assign(600, 0);
  snapshot.server.responses[404] = 2;
  snapshot.server.left.assign(5, 0);
  snapshot.server.too_slow = {1, 2, 3};
  snapshot.server.connections_refused = 3;
  snapshot.server.accept_failures = 4;
  snapshot.options_refused["TCP_RTO_MIN_US"] = 5;
  snapshot.viewers.push_back({.id = 1, .stream = "a", .backlog = std::chrono::milliseconds{250}});
  return snapshot;
}

TEST(StateCollectorTest, NamesEachFamilyOnce) {
  std::set<std::string> names;
  for (const auto& family : StateCollector{busy}.Collect()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
  }
}

TEST(StateCollectorTest, CountsViewersPerStream) {
  const auto families = StateCollector{busy}.Collect();
  const auto viewers =
      std::ranges::find(families, "symcast_viewers", &prometheus::MetricFamily::name);
  ASSERT_NE(viewers, families.end());
  ASSERT_EQ(viewers->metric.size(), 2u);
  EXPECT_EQ(viewers->metric[0].gauge.value, 3);
}

TEST(StateCollectorTest, ExportsAViewersBacklog) {
  const auto text = Metrics{EventSource::kTcpInfo}.text(StateCollector{busy});
  EXPECT_NE(text.find(R"(symcast_viewer_backlog_seconds{stream="a",viewer="1"} 0.25)"),
            std::string::npos)
      << text;
}

TEST(StateCollectorTest, ExportsACapacityOnlyIfItIsKnown) {
  auto snapshot = busy();
  const auto text = [&] {
    return Metrics{tcpinfo::EventSource::kTcpInfo}.text(StateCollector{[&] { return snapshot; }});
  };
  EXPECT_EQ(text().find("symcast_viewer_capacity"), std::string::npos);
  snapshot.viewers[0].path.capacity = base::BitRate::mbps(5);
  EXPECT_NE(text().find("symcast_viewer_capacity_bits_per_second{"), std::string::npos);
}

TEST(StateCollectorTest, CountsTheLinesThatLateReadersMissed) {
  auto snapshot = busy();
  snapshot.event_lines_lost = 3;
  const auto text = Metrics{EventSource::kTcpInfo}.text(StateCollector{[&] { return snapshot; }});
  EXPECT_NE(text.find("symcast_event_lines_dropped_total 3"), std::string::npos) << text;
}

TEST(StateCollectorTest, ExportsHowOftenEachLoopTakesTelemetry) {
  auto snapshot = busy();
  snapshot.loops = {{.loop = 0, .sampled_every_nth = 2, .timestamped_every_nth = 25}};
  const auto text =
      Metrics{tcpinfo::EventSource::kTcpInfo}.text(StateCollector{[&] { return snapshot; }});
  EXPECT_NE(text.find(R"(symcast_telemetry_every_nth_frame{loop="0",kind="ack_timestamps"} 25)"),
            std::string::npos)
      << text;
}

TEST(StateCollectorTest, TextContainsEventMetricsAndStateMetrics) {
  Metrics metrics{EventSource::kTracepoint};
  const auto stream = metrics.stream("a");
  stream->congestion_event(tcpinfo::EventKind::kUndo, EventSource::kTracepoint);
  stream->decision(abr::Reason::kRexmt);
  const auto text = metrics.text(StateCollector{busy});
  EXPECT_NE(text.find(R"(symcast_rate_decreases_total{reason="rexmt",stream="a"} 1)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"(symcast_http_responses_total{code="404"} 2)"), std::string::npos);
  EXPECT_NE(text.find("symcast_connections_refused_total 3\n"), std::string::npos);
  EXPECT_NE(text.find("symcast_accept_failures_total 4\n"), std::string::npos);
  EXPECT_NE(text.find(R"(symcast_responses_too_slow_total{reason="rate"} 2)"), std::string::npos);
  EXPECT_NE(text.find("symcast_log_lines_dropped_total 0\n"), std::string::npos);
  EXPECT_NE(text.find(R"(symcast_socket_options_ignored_total{option="TCP_RTO_MIN_US"} 5)"),
            std::string::npos);
  EXPECT_NE(text.find(R"({kind="undo",source="tracepoint",stream="a"} 1)"), std::string::npos);
  EXPECT_NE(text.find(R"({kind="rexmt",source="tcp_info",stream="a"} 0)"), std::string::npos);
}

TEST(StateCollectorTest, RemovesAStreamsSeriesWithItsLastHolder) {
  Metrics metrics{EventSource::kTracepoint};
  const auto nothing = [] { return StateCollector::Snapshot{}; };
  auto old = metrics.stream("a");
  auto again = metrics.stream("a");  // a new stream of that name, while old viewers remain
  old->delays("ts").joined(std::chrono::milliseconds{100});
  old.reset();
  EXPECT_NE(metrics.text(StateCollector{nothing})
                .find(R"(symcast_join_seconds_count{format="ts",stream="a"} 1)"),
            std::string::npos);
  again.reset();
  EXPECT_EQ(metrics.text(StateCollector{nothing}).find(R"(stream="a")"), std::string::npos);
}

}  // namespace
}  // namespace app
