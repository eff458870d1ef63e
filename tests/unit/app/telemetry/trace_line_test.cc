#include "app/telemetry/trace_line.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "server/viewer.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

server::SentFrame frame() {
  server::SentFrame frame;
  frame.number = 42;
  frame.pts = 1500ms;
  frame.captured = base::Time{10s};
  frame.departed = base::Time{10s + 12ms};
  frame.size = 1000;
  frame.target = 1250;
  frame.padding = 376;
  return frame;
}

TEST(TraceLineTest, AFrameHasTheFieldsOfBothLogsOfThePaper) {
  auto sent = frame();
  sent.psnr = media::Psnr{40.5, 42, 43};
  const FrameDelivery delivery{.at = base::Time{10s + 80ms},
                               .source = FrameDelivery::Source::kTimestamp,
                               .head = base::Time{10s + 70ms}};
  const auto line = json::parse(trace_line::frame(sent, delivery, base::BitRate::mbps(5)).text);
  EXPECT_EQ(line["event"], "frame");
  EXPECT_EQ(line["number"], 42);
  EXPECT_DOUBLE_EQ(line["captured"], 10.0);
  EXPECT_DOUBLE_EQ(line["departed"], 10.012);
  EXPECT_DOUBLE_EQ(line["acked"], 10.08);
  EXPECT_EQ(line["acked_source"], "timestamp");
  EXPECT_DOUBLE_EQ(line["head_acked"], 10.07);
  EXPECT_EQ(line["capacity"], 5'000'000);
  EXPECT_EQ(line["target_bits"], 10000);
  EXPECT_EQ(line["bits"], 8000);
  EXPECT_EQ(line["padding_bits"], 3008);
  EXPECT_EQ(line["psnr"], (json{40.5, 42.0, 43.0}));
}

TEST(TraceLineTest, AFrameThatWasNeverAcknowledgedHasNullFields) {
  const auto line = json::parse(trace_line::frame(frame(), {}, {}).text);
  for (const char* key : {"acked", "acked_source", "head_acked", "capacity"}) {
    EXPECT_TRUE(line[key].is_null()) << key;
  }
  EXPECT_TRUE(line["psnr"].is_null());
}

TEST(TraceLineTest, ADiscardHasItsFirstAndLastFrame) {
  const auto line = json::parse(trace_line::discard({.first = 7, .last = 12}, base::Time{3s}).text);
  EXPECT_EQ(line, (json{{"event", "discard"}, {"at", 3.0}, {"first", 7}, {"last", 12}}));
}

TEST(TraceLineTest, AChangedCongestionControlIsNamed) {
  const auto line = json::parse(
      trace_line::congestion_control(abr::CongestionControl::kCubic, base::Time{3s}).text);
  EXPECT_EQ(line,
            (json{{"event", "congestion_control"}, {"at", 3.0}, {"congestion_control", "cubic"}}));
}

TEST(TraceLineTest, ACongestionEventHasItsKindAndWindow) {
  const auto line = json::parse(
      trace_line::event({tcpinfo::EventKind::kRexmt, base::Time{3s}, 10, std::nullopt, 120ms, 2, 1},
                        tcpinfo::EventSource::kTracepoint, base::Time{4s})
          .text);
  EXPECT_EQ(line["kind"], "rexmt");
  EXPECT_EQ(line["source"], "tracepoint");
  EXPECT_DOUBLE_EQ(line["at"], 3.0);
  EXPECT_DOUBLE_EQ(line["seen"], 4.0);
  EXPECT_EQ(line["cwnd"], 10);
  EXPECT_TRUE(line["ssthresh"].is_null());
  EXPECT_DOUBLE_EQ(line["srtt"], 0.12);
  EXPECT_EQ(line["sacked"], 2);
  EXPECT_EQ(line["lost"], 1);
}

TEST(TraceLineTest, AChangeOfGroupHasGroupAndTime) {
  const auto line = json::parse(trace_line::group(3, base::Time{7s}).text);
  EXPECT_EQ(line["event"], "group");
  EXPECT_EQ(line["group"], 3);
  EXPECT_DOUBLE_EQ(line["at"], 7.0);
}

TEST(TraceLineTest, ASampleHasTheStateOfTheConnection) {
  ViewerTelemetry viewer;
  viewer.target = base::BitRate::mbps(2);
  viewer.path.capacity = base::BitRate::mbps(4);
  viewer.rtt = 40ms;
  viewer.cwnd = 20;
  viewer.in_flight = base::ByteCount{12000};
  viewer.backlog = 10ms;
  const auto sample = trace_line::sample(viewer, base::BitRate::mbps(1.5), base::BitRate::mbps(1.6),
                                         base::Time{7s});
  EXPECT_STREQ(sample.event, "sample");
  const json expected{{"event", "sample"},  {"at", 7.0},       {"target", 2000000},
                      {"served", 1500000},  {"rate", 1600000}, {"capacity", 4000000},
                      {"rtt", 0.04},        {"cwnd", 20},      {"ssthresh", nullptr},
                      {"in_flight", 12000}, {"backlog", 0.01}, {"behind_live", nullptr}};
  EXPECT_EQ(json::parse(sample.text), expected);
}

TEST(TraceLineTest, AHostileUserAgentStaysOneLineOfJson) {
  server::ViewerState state;
  state.user_agent = "bad\n\"agent\xff";
  server::Viewer viewer{state, 1s, {server::ResponseWriter::Framing::kUntilClose, "", 0}};
  const auto line =
      trace_line::join({state, -1, base::Time{1s}, viewer.sent(), viewer}, base::Time{},
                       {.congestion_control = "cubic", .ssthresh = 22, .cwnd = 10})
          .text;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(json::accept(line));
}

}  // namespace
}  // namespace app
