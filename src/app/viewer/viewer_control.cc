#include "app/viewer/viewer_control.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "abr/policy/make_policy.h"
#include "app/telemetry/names.h"
#include "app/telemetry/trace_line.h"
#include "app/viewer/next_sample_time.h"
#include "app/viewer/observe.h"
#include "base/log.h"
#include "media/mpegts.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace app {

namespace {
// Dashboards and Prometheus look once per second at most; four times that is fresh.
constexpr base::Duration kPublishInterval = std::chrono::milliseconds{250};
// A curve that moves; three frames at 30 per second.
constexpr base::Duration kSampleInterval = std::chrono::milliseconds{100};

// A group's rate is not worth changing for less (abr/policy/symbiosis_policy.cc: kDeadBand).
constexpr double kNews = 0.03;
// Frames that wait for a sample: more than telemetry.samples_per_second leaves out are not used.
constexpr std::size_t kMostFrames = 64;
// The encoder answers with its next frame, or with a keyframe within a second.
constexpr base::Duration kRecoveryInterval = std::chrono::milliseconds{500};
// Rarer looks than every so many frames are not worth asking whose group it is.
constexpr unsigned kMaxDecimation = 2;

static_assert(abr::kMostPadding.bytes() == static_cast<std::int64_t>(media::kMaxPaddingBytes));

bool is_news(base::BitRate sustains, base::BitRate reported) {
  return sustains < (1 - kNews) * reported || sustains > (1 + kNews) * reported;
}

std::string segments(std::optional<std::uint32_t> ssthresh) {
  return ssthresh ? std::to_string(*ssthresh) : "infinite";
}
}  // namespace

ViewerControl::ViewerControl(const server::ViewerRequest& request,
                             std::shared_ptr<LiveStream> stream, Deps deps, base::Time now)
    : id_{request.id},
      loop_{request.loop},
      container_{request.container},
      stream_{std::move(stream)},
      deps_{deps},
      requested_{now},
      settings_{stream_->viewer_settings()},
      policy_{abr::make_policy(settings_->control)},
      samples_{deps.budgets.of(request.loop).samples},
      sample_turn_{request.id},
      report_turn_{request.id},
      sample_ahead_turn_{request.id},
      deliveries_{deps.budgets.of(request.loop).marks, request.id,
                  [this](const auto& frame, const auto& delivery) { delivered(frame, delivery); }},
      lines_{deps.trace, deps.taps, request.id},
      steering_{deps.hints, deps.warnings, settings_->tcp, stream_->media_settings().audio,
                congestion_control_for(request.address, settings_->tcp,
                                       deps.standard_congestion_control)} {
  const abr::Decision start = policy_->decide({}, path_.state(), now);
  channel_ = {stream_->index(), stream_->ladder().join(id_, start.rate, now)};
  telemetry_.id = id_;
  telemetry_.stream = request.stream;
  telemetry_.format = media::name(request.container);
  telemetry_.address = request.address;
  telemetry_.user_agent = request.user_agent.substr(0, ViewerTelemetry::kMostUserAgent);
  telemetry_.target = start.rate;
}

ViewerControl::~ViewerControl() {
  deps_.table.remove(id_);
  stream_->ladder().leave(id_, base::Clock::now());
}

void ViewerControl::on_join(const server::ViewerTick& tick) {
  state_ = &tick.state;
  acts_ = &tick.acts;
  fd_ = tick.fd;
  watch_ = deps_.events.watch(fd_, id_, loop_,
                              [this](const auto& event, base::Time now) { on_event(event, now); });
  const auto applied = steering_.begin(fd_, telemetry_.target, tick.now);
  stream_->metrics().ssthresh_hint(steering_.ssthresh_hint());
  base::log::info("viewer_joined", {{"viewer", id_},
                                    {"stream", telemetry_.stream},
                                    {"group", channel_.group},
                                    {"address", tick.state.address.text()},
                                    {"congestion_control", applied.congestion_control},
                                    {"ssthresh", segments(applied.ssthresh)},
                                    {"rate", telemetry_.target}});
  if (!deliveries_.begin(tick)) {
    deps_.warnings.failed("SO_TIMESTAMPING", "delivery times are seen a frame late", errno);
  }
  lines_.begin(telemetry_.stream, trace_line::join(tick, requested_, applied));
  lines_.put([&] {
    return trace_line::decision({telemetry_.target, abr::Reason::kStart}, {}, tick.now);
  });
}

std::optional<base::Time> ViewerControl::on_tick(const server::ViewerTick& tick) {
  may_skip_ = true;
  note_group(tick);
  steering_.follow_rate(tick.fd, tick.state.rate, tick.now);
  const auto next = next_sample(tick);
  if (!samples_.grant(sample_turn_, 1, deliveries_.congested(), tick.now)) return next;
  const auto sample = deps_.sampler.sample(tick.fd, tick.now);
  if (!sample) return {};  // the socket has just died: on_leave follows
  deliveries_.on_sample(*sample, tick);
  steering_.on_sample(fd_, *sample, tick.now - tick.state.connected);
  const auto events = polled_events(*sample);
  for (const auto& event : events) note_event(event, tcpinfo::EventSource::kTcpInfo, tick.now);
  decide(events, *sample, tick.state, tick.now);
  note(tick, *sample);
  if (tick.now >= next_publish_) publish(tick.now);
  if (tick.now >= next_trace_sample_ && lines_.wanted()) put_sample(tick);
  return next;
}

/// What has not come back meanwhile tells of the path as well, in time for the next frame.
std::optional<base::Time> ViewerControl::on_sample_due(const server::ViewerTick& tick) {
  const auto next = next_sample(tick);
  if (!samples_.grant(sample_ahead_turn_, 1, deliveries_.congested(), tick.now)) return next;
  const auto sample = deps_.sampler.sample(tick.fd, tick.now);
  if (sample) decide({}, *sample, tick.state, tick.now);
  return next;
}

/// Where an encoder can still follow: just before the next frame, if something is under way.
std::optional<base::Time> ViewerControl::next_sample(const server::ViewerTick& tick) const {
  if (samples_.every_nth() == 0 || samples_.every_nth() > kMaxDecimation || !tick.sent.oldest() ||
      !stream_->ladder().serves_one(channel_.group)) {
    return {};
  }
  return next_sample_time(tick.state.captured, interval_.value(), tick.now);
}

void ViewerControl::on_event(const tcpinfo::CongestionEvent& event, base::Time now) {
  note_event(event, deps_.event_source, now);
  if (!tcpinfo::is_loss(event.kind)) return;
  const auto sample = deps_.sampler.sample(fd_, now);
  if (sample && decide({&event, 1}, *sample, *state_, now)) {
    stream_->metrics().retargeted(base::seconds(base::Clock::now() - event.at));
  }
}

/// Acknowledgements have come in: what they tell holds from the next frame on.
void ViewerControl::on_error_queue(const server::ViewerTick& tick) {
  deliveries_.read_reports(tick);
  if (frames_.empty()) return;
  if (!samples_.grant(report_turn_, 1, deliveries_.congested(), tick.now)) return;
  const auto sample = deps_.sampler.sample(tick.fd, tick.now);
  if (sample) decide({}, *sample, tick.state, tick.now);
}

/// All of them, or those that the pushed source does not tell of.
std::vector<tcpinfo::CongestionEvent> ViewerControl::polled_events(
    const tcpinfo::TcpSample& sample) {
  if (watch_ && deps_.event_source == tcpinfo::EventSource::kTracepoint) return {};
  auto events = polled_.update(sample);
  if (watch_) {
    std::erase_if(events, [](const auto& event) { return tcpinfo::sockops_tells(event.kind); });
  }
  return events;
}

void ViewerControl::note_event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                               base::Time now) {
  ++telemetry_.events;
  stream_->metrics().congestion_event(event.kind, source);
  lines_.put([&] { return trace_line::event(event, source, now); });
}

bool ViewerControl::decide(std::span<const tcpinfo::CongestionEvent> events,
                           const tcpinfo::TcpSample& sample, const server::ViewerState& state,
                           base::Time now) {
  const auto observation = observe(
      {.events = events,
       .frames = frames_,
       .paced = steering_.paces(),
       .bbr = steering_.bbr(),
       .receiver_limited = receiver_limit_.update(sample, interval_.value()),
       .frame_interval = interval_.value(),
       .padding = padding_.under_way(state, sample.bytes_acked),
       .transport = transport(stream_->media_settings().audio, container_, interval_.value())},
      sample, state);
  telemetry_.backlog = observation.backlog;
  telemetry_.in_flight = observation.in_flight;
  path_.update(observation, now);
  const auto decision = policy_->decide(observation, path_.state(), now);
  frames_.clear();
  steering_.follow_decision(fd_, decision.pacing, decision.window);
  relieve(decision, now);
  resume(decision, now);
  if (decision.reason != abr::Reason::kHold) return apply(decision, now);
  return is_news(decision.sustains, reported_) && report(decision, now);
}

void ViewerControl::on_leave(const server::ViewerTick& tick, server::LeaveReason reason) {
  if (const auto sample = deps_.sampler.sample(tick.fd, tick.now)) {
    deliveries_.on_sample(*sample, tick);
  }
  if (const auto last = tcpinfo::read_tcp_info(tick.fd)) {
    deps_.ends.left(tcpinfo::socket_cookie(tick.fd), id_, telemetry_.stream, *last, tick.now);
  }
  base::log::info("viewer_left", {{"viewer", id_},
                                  {"stream", telemetry_.stream},
                                  {"address", tick.state.address.text()},
                                  {"reason", name(reason)},
                                  {"seconds", tick.now - tick.state.connected},
                                  {"bytes", tick.state.sent.bytes()},
                                  {"frames_sent", tick.state.frames_sent},
                                  {"frames_dropped", tick.state.frames_dropped},
                                  {"congestion_events", telemetry_.events}});
  tick.sent.take_all([this](const server::SentFrame& frame) {
    lines_.put([&] { return trace_line::frame(frame, {}, {}); });
  });
  lines_.end(trace_line::leave(tick, reason));
}

/// The ladder has moved the viewer, and the change of channel is complete.
void ViewerControl::note_group(const server::ViewerTick& tick) {
  if (tick.state.channel == channel_) return;
  channel_ = tick.state.channel;
  lines_.put([&] { return trace_line::group(channel_.group, tick.now); });
}

void ViewerControl::note_frame(const server::SentFrame& frame, const FrameDelivery& delivery) {
  interval_.add(frame.pts);
  if (delivery.source != FrameDelivery::Source::kTimestamp) return;
  const auto until = [&](std::uint64_t end) {
    return base::ByteCount{static_cast<std::int64_t>(end - frame.begin)};
  };
  if (frames_.size() >= kMostFrames) {
    frames_.erase(frames_.begin());
    stream_->metrics().delivery_unused();
  }
  frames_.push_back({.departed = frame.departed,
                     .head_acked = delivery.head,
                     .acked = delivery.at,
                     .head = delivery.head ? until(frame.head_end) : base::ByteCount{},
                     .size = until(frame.marked_end)});
}

void ViewerControl::delivered(const server::SentFrame& frame, const FrameDelivery& delivery) {
  note_frame(frame, delivery);
  stream_->metrics().frame_delivered(base::seconds(delivery.at - frame.captured), delivery.source);
  if (!std::exchange(first_frame_seen_, true)) {
    stream_->metrics().joined(base::seconds(delivery.at - requested_));
  }
  last_acked_capture_ = frame.captured;
  lines_.put([&] { return trace_line::frame(frame, delivery, path_.state().capacity); });
}

/// What is late is not sent, and what would wait behind it is not made; where others share the
/// group it is made, and not sent either. What is too short to tell of the path is lengthened.
void ViewerControl::relieve(const abr::Decision& decision, base::Time now) {
  if (decision.padding.bytes() > 0) acts_->pad(decision.padding);
  if (decision.skip > 0) skip(decision.skip);
  if (!decision.discard) return;
  const auto discarded = acts_->discard_unsent();
  if (!discarded) return;
  lines_.put([&] { return trace_line::discard(*discarded, now); });
  next_recovery_ = now;
}

/// Not two in a row: decisions come with every acknowledgement.
void ViewerControl::skip(unsigned frames) {
  if (!std::exchange(may_skip_, false)) return;
  if (!stream_->skip(channel_.group, frames)) acts_->pause();
}

/// After frames that were not sent the next one that refers to none of them is made as soon as it
/// can be sent; where others share the group, not before that: it costs them some bits.
void ViewerControl::resume(const abr::Decision& decision, base::Time now) {
  if (!state_->missing || now < next_recovery_) return;
  const bool ready = decision.skip == 0 && telemetry_.backlog <= interval_.value();
  if (!ready && !stream_->ladder().serves_one(channel_.group)) return;
  next_recovery_ = now + kRecoveryInterval;
  stream_->recover(channel_.group, *state_->missing);
}

bool ViewerControl::report(const abr::Decision& decision, base::Time now) {
  reported_ = decision.sustains;
  return stream_->ladder().report(id_, decision, now);
}

bool ViewerControl::apply(const abr::Decision& decision, base::Time now) {
  const bool retargeted = report(decision, now);
  stream_->metrics().decision(decision.reason);
  telemetry_.target = decision.rate;
  telemetry_.reason = decision.reason;
  base::log::debug(
      "decision",
      {{"viewer", id_}, {"rate", decision.rate}, {"reason", abr::name(decision.reason)}});
  lines_.put([&] { return trace_line::decision(decision, path_.state(), base::Clock::now()); });
  return retargeted;
}

void ViewerControl::note(const server::ViewerTick& tick, const tcpinfo::TcpSample& sample) {
  telemetry_.group = channel_.group;
  telemetry_.connected = tick.state.connected;
  telemetry_.rtt = sample.rtt;
  telemetry_.min_rtt = sample.min_rtt;
  telemetry_.cwnd = sample.cwnd;
  telemetry_.delivery_rate = sample.delivery_rate;
  telemetry_.ssthresh = sample.ssthresh;
  telemetry_.path = path_.state();
  if (last_acked_capture_ > base::Time{}) telemetry_.behind_live = tick.now - last_acked_capture_;
  telemetry_.bytes_sent = tick.state.sent;
  telemetry_.frames_dropped = tick.state.frames_dropped;
  telemetry_.switches = tick.state.switches;
}

void ViewerControl::publish(base::Time now) {
  next_publish_ = now + kPublishInterval;
  steering_.follow_capacity(fd_, telemetry_.path.capacity);
  deps_.table.put(telemetry_);
}

void ViewerControl::put_sample(const server::ViewerTick& tick) {
  next_trace_sample_ += kSampleInterval;
  if (next_trace_sample_ <= tick.now) next_trace_sample_ = tick.now + kSampleInterval;
  const auto rate = send_rate_.look(tick.state.sent, tick.now);
  lines_.put([&] { return trace_line::sample(telemetry_, tick.state.rate, rate, tick.now); });
}

}  // namespace app
