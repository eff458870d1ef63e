#include "app/telemetry/viewer_record.h"

#include <algorithm>
#include <chrono>

#include "base/log.h"

namespace app {

namespace {

// Dashboards and Prometheus read at most once per second. A longer interval shows older values, a
// shorter one only takes the table's lock more often.
constexpr base::Duration kPublishInterval = std::chrono::milliseconds{250};
// Three frames at 30 per second: a smooth curve in the dashboard. A longer interval shows steps, a
// shorter one makes the trace larger.
constexpr base::Duration kTraceSampleInterval = std::chrono::milliseconds{100};

}  // namespace

ViewerRecord::ViewerRecord(ViewerTelemetry viewer, Trace* trace, ViewerTaps& taps,
                           std::optional<base::Duration> tolerated)
    : viewer_{std::move(viewer)}, lines_{trace, taps, viewer_.id}, bad_picture_{tolerated} {}

void ViewerRecord::end(trace_line::Line leave) {
  log(bad_picture_.end());
  lines_.end(std::move(leave));
}

void ViewerRecord::log(const std::optional<BadPicture::Report>& report) const {
  if (!report) return;
  base::log::info("bad_picture", {{"viewer", viewer_.id},
                                  {"stream", viewer_.stream},
                                  {"address", viewer_.address.text()},
                                  {"from", base::log::wall_time(report->from)},
                                  {"to", base::log::wall_time(report->to)},
                                  {"rate_before", report->before},
                                  {"lowest_rate", report->lowest},
                                  {"cause", abr::name(report->cause)},
                                  {"frames_lost", report->frames_lost},
                                  {"behind_live", report->behind}});
}

void ViewerRecord::event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                         base::Time now) {
  ++viewer_.events;
  lines_.put([&] { return trace_line::event(event, source, now); });
}

void ViewerRecord::decided(const abr::Decision& decision, const abr::PathState& path,
                           base::Time at) {
  if (decision.rate < viewer_.target) viewer_.fall = decision.reason;
  viewer_.target = decision.rate;
  viewer_.reason = decision.reason;
  lines_.put([&] { return trace_line::decision(decision, path, at); });
}

bool ViewerRecord::set_group(std::uint32_t group, base::Time now) {
  if (std::exchange(viewer_.group, group) == group) return false;
  lines_.put([&] { return trace_line::group(group, now); });
  return true;
}

void ViewerRecord::sampled(const tcpinfo::TcpSample& sample) {
  viewer_.rtt = sample.rtt;
  viewer_.min_rtt = sample.min_rtt;
  viewer_.cwnd = sample.cwnd;
  viewer_.ssthresh = sample.ssthresh;
  viewer_.delivery_rate = sample.delivery_rate;
}

void ViewerRecord::update_behind_live(base::Time now) {
  if (newest_captured_ > base::Time{}) viewer_.behind_live = now - newest_captured_;
}

bool ViewerRecord::publish_due(base::Time now) {
  if (now < next_publish_) return false;
  next_publish_ = now + kPublishInterval;
  return true;
}

void ViewerRecord::trace_sample(base::BitRate served, base::Time now) {
  if (now < next_sample_ || !lines_.wanted()) return;
  next_sample_ += kTraceSampleInterval;
  if (next_sample_ <= now) next_sample_ = now + kTraceSampleInterval;
  const auto rate = send_rate_.sample(viewer_.bytes_sent, now);
  lines_.put([&] { return trace_line::sample(viewer_, served, rate, now); });
}

}  // namespace app
