#include "app/viewer/viewer_control.h"

#include <cerrno>
#include <utility>
#include <vector>

#include "abr/policy/make_policy.h"
#include "app/telemetry/names.h"
#include "app/telemetry/trace_line.h"
#include "base/log.h"
#include "media/mpegts.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_control.h"
#include "tcpinfo/socket_sampler.h"

namespace app {

namespace {

using Occasion = SampleTurns::Occasion;

static_assert(abr::kMaxPadding.bytes() == static_cast<std::int64_t>(media::kMaxPaddingBytes));

/// The age of an acknowledged frame, beyond the round trip, from which on the picture counts as
/// late. A frame is 40 ms old on a path that carries it; half a second is a conversation with
/// pauses.
constexpr base::Duration kTolerated = std::chrono::milliseconds{500};

/// Each takes a lock that all viewers share.
constexpr base::Duration kCreditInterval = std::chrono::seconds{10};

ViewerTelemetry telemetry_of(const server::ViewerRequest& request) {
  ViewerTelemetry viewer;
  viewer.id = request.id;
  viewer.stream = request.stream;
  viewer.format = media::name(request.container);
  viewer.address = request.client.address;
  viewer.proxy = request.client.proxy;
  viewer.user_agent = request.user_agent.substr(0, ViewerTelemetry::kMaxUserAgentBytes);
  return viewer;
}

std::string text(std::optional<std::uint32_t> ssthresh) {
  return ssthresh ? std::to_string(*ssthresh) : "infinite";
}

/// The best one for the viewer's network, if the configuration leaves the choice to the server.
StartControl choose_control(const server::ViewerRequest& request, LiveStream& stream,
                            const LiveStream::ViewerSettings& settings,
                            const ViewerControl::Deps& deps) {
  const auto& peer = request.client.peer;
  auto control = start_control(peer, settings.tcp, deps.standard_controls);
  if (!control.automatic) return control;
  const auto start = deps.networks.start(peer);
  stream.metrics().automatic_start(start);
  control.name = abr::name(start.control);
  return control;
}

/// A connection that leaves BBR needs a new ssthresh, which only eBPF sets.
bool may_change(const StartControl& control, const ViewerControl::Deps& deps) {
  return control.automatic && deps.hints.sets_windows();
}

}  // namespace

ViewerControl::ViewerControl(const server::ViewerRequest& request,
                             const std::shared_ptr<LiveStream>& stream, const Deps& deps,
                             base::Time now)
    : ViewerControl{request, stream, deps, stream->viewer_settings(), now} {}

ViewerControl::ViewerControl(const server::ViewerRequest& request,
                             const std::shared_ptr<LiveStream>& stream, const Deps& deps,
                             const Settings& settings, base::Time now)
    : ViewerControl{request,
                    stream,
                    deps,
                    settings,
                    choose_control(request, *stream, *settings, deps),
                    now} {}

ViewerControl::ViewerControl(const server::ViewerRequest& request,
                             std::shared_ptr<LiveStream> stream, const Deps& deps,
                             const Settings& settings, const StartControl& start, base::Time now)
    : id_{request.id},
      stream_{std::move(stream)},
      deps_{deps},
      delays_{stream_->metrics().delays(media::name(request.container)), now},
      control_{abr::make_policy(settings->control), may_change(start, deps)},
      events_{deps.events, deps.event_source, request.loop},
      turns_{deps.budgets.of(request.loop).samples, request.id},
      deliveries_{
          deps.budgets.of(request.loop).ack_timestamps, request.id,
          [this](const auto& frame, const auto& delivery) { on_delivered(frame, delivery); }},
      observer_{stream_->media_settings().audio, request.container},
      steering_{deps.hints, deps.warnings, settings->tcp, stream_->media_settings().audio,
                start.name},
      record_{telemetry_of(request), deps.trace, deps.taps, kTolerated},
      peer_{request.client.peer},
      place_{deps.neighbours, peer_},
      learns_{start.automatic},
      limits_{settings->control.rate} {
  const auto first = control_.start(now);
  current_.channel = {stream_->index(), stream_->ladder().join(id_, first.rate, now)};
  record_.viewer().target = first.rate;
  record_.viewer().group = current_.channel.group;
}

ViewerControl::~ViewerControl() {
  deps_.table.remove(id_);
  deps_.connections.remove(id_);
  stream_->ladder().leave(id_, base::Clock::now());
}

/// The operator may have changed the limits of the rate (SIGHUP).
void ViewerControl::follow_settings() {
  const auto revision = stream_->settings_revision();
  if (std::exchange(settings_revision_, revision) == revision) return;
  const auto limits = stream_->viewer_settings()->control.rate;
  control_.set_limits(limits);
  limits_ = limits;
}

void ViewerControl::on_join(const server::ViewerTick& tick) {
  joined_.emplace(Joined{tick.state, tick.acts, tick.fd});
  events_.watch(tick.fd, id_, [this](const auto& event, base::Time now) { on_event(event, now); });
  const auto& viewer = record_.viewer();
  deps_.connections.put(id_, tick.fd, viewer);
  const auto applied =
      steering_.begin(tick.fd, viewer.target, stream_->media_settings().encoder.vbv, tick.now);
  stream_->metrics().ssthresh_hint(steering_.ssthresh_hint());
  base::log::info("viewer_joined", {{"viewer", id_},
                                    {"stream", viewer.stream},
                                    {"group", current_.channel.group},
                                    {"address", tick.state.address.text()},
                                    {"format", viewer.format},
                                    {"user_agent", viewer.user_agent},
                                    {"congestion_control", applied.congestion_control},
                                    {"ssthresh", text(applied.ssthresh)},
                                    {"rate", viewer.target}});
  if (!deliveries_.begin(tick)) {
    deps_.warnings.failed("SO_TIMESTAMPING", "delivery times are one frame late", errno);
  }
  record_.begin(trace_line::join(tick, delays_.requested(), applied));
  record_.put([&] {
    return trace_line::decision({viewer.target, abr::Reason::kStart}, {}, tick.now);
  });
}

std::optional<base::Time> ViewerControl::on_tick(const server::ViewerTick& tick) {
  const bool due = current_.sample_due(tick.state.discardable, tick.now);
  if (!due && current_.same_stream(tick.state)) return {};
  current_.channel = tick.state.channel;
  current_.rate = tick.state.rate;
  control_.on_frame();
  follow_settings();
  record_.set_group(current_.channel.group, tick.now);
  steering_.follow_rate(tick.fd, current_.rate, tick.now);
  private_ = stream_->ladder().serves_one(current_.channel.group);
  const auto next = next_sample_time(tick);
  if (!turns_.grant(Occasion::kFrame, deliveries_.congested(), tick.now)) return next;
  const auto sample = take_sample(tick.now);
  if (!sample) return {};  // the socket has just died: on_leave follows
  deliveries_.on_sample(*sample, tick);
  steering_.on_sample(tick.fd, *sample, tick.now - tick.state.connected);
  const auto events = events_.polled(*sample);
  for (const auto& event : events) note_event(event, tcpinfo::EventSource::kTcpInfo, tick.now);
  run(events, *sample, tick.now);
  note(tick, *sample);
  return next;
}

/// Missing acknowledgements show the state of the path too, in time for the next frame.
std::optional<base::Time> ViewerControl::on_sample_due(const server::ViewerTick& tick) {
  const auto next = next_sample_time(tick);
  if (!turns_.grant(Occasion::kBeforeFrame, deliveries_.congested(), tick.now)) return next;
  if (const auto sample = take_sample(tick.now)) run({}, *sample, tick.now);
  return next;
}

server::TxTimestampRequest ViewerControl::tx_timestamps(base::ByteCount size, base::Time now) {
  if (!current_.sample_due(false, now)) return {};
  return deliveries_.tx_timestamps(size, now);
}

std::optional<base::Time> ViewerControl::next_sample_time(const server::ViewerTick& tick) const {
  if (!turns_.samples_before_frames()) return {};
  return abr::ControlLoop::next_sample_time(tick.state.captured, observer_.frame_interval(),
                                            private_, tick.sent.oldest() != nullptr, tick.now);
}

void ViewerControl::on_event(const tcpinfo::CongestionEvent& event, base::Time now) {
  note_event(event, events_.source(), now);
  if (!tcpinfo::is_loss(event.kind) && event.kind != tcpinfo::EventKind::kRtt) return;
  const auto sample = take_sample(now);
  if (sample && run({&event, 1}, *sample, now)) {
    stream_->metrics().retargeted(base::seconds(base::Clock::now() - event.at));
  }
}

/// Acknowledgements have arrived; the decision they lead to applies from the next frame on.
void ViewerControl::on_error_queue(const server::ViewerTick& tick) {
  deliveries_.read_reports(tick);
  if (!observer_.has_frames()) return;
  if (!turns_.grant(Occasion::kAcknowledgement, deliveries_.congested(), tick.now)) return;
  if (const auto sample = take_sample(tick.now)) run({}, *sample, tick.now);
}

void ViewerControl::note_event(const tcpinfo::CongestionEvent& event, tcpinfo::EventSource source,
                               base::Time now) {
  stream_->metrics().congestion_event(event.kind, source);
  record_.event(event, source, now);
}

std::optional<tcpinfo::TcpSample> ViewerControl::take_sample(base::Time now) {
  const auto sample = deps_.sampler.sample(joined_->fd, now);
  return sample ? std::optional{series_.next(*sample)} : std::nullopt;
}

/// Tells the ladder when the viewer begins, or ends, to take media.
void ViewerControl::prove(const tcpinfo::TcpSample& sample, bool window_closed, base::Time now) {
  const abr::StreamProof::Taken taken{.acknowledged = sample.bytes_acked,
                                      .waiting = sample.unacked > 0 || sample.notsent.bytes() > 0,
                                      .window_closed = window_closed};
  const auto standing = proof_.update(taken, limits_.min, now);
  if (std::exchange(standing_, standing) == standing) return;
  stream_->ladder().set_standing(id_, standing, now);
}

/// Runs the control loop once. Returns whether the rate of an encode group changed at once.
bool ViewerControl::run(std::span<const tcpinfo::CongestionEvent> events,
                        const tcpinfo::TcpSample& sample, base::Time now) {
  const auto observation = observer_.observe(events,
                                             {.paced = steering_.paces(),
                                              .bbr = steering_.bbr(),
                                              .rtt_watched = events_.rtt_watched(),
                                              .neighbours = place_.others()},
                                             sample, joined_->state);
  prove(sample, observation.receiver_limited, now);
  record_.viewer().backlog = observation.backlog;
  record_.viewer().in_flight = observation.in_flight;
  const abr::StreamView stream{.private_group = private_,
                               .frames_missing = joined_->state.missing.has_value()};
  const auto actions = control_.on_observation(observation, stream, now);
  current_.next_sample = control_.next_sample();
  current_.calm = actions.calm;
  return carry_out(actions, now);
}

bool ViewerControl::carry_out(const abr::Actions& actions, base::Time now) {
  steering_.follow_calm(joined_->fd, actions.calm);
  steering_.follow_decision(joined_->fd, actions.pacing, actions.window);
  if (actions.congestion_control) change(*actions.congestion_control, now);
  if (actions.rtt_limit.count() > 0) events_.watch_rtt(actions.rtt_limit);
  if (actions.padding.bytes() > 0) joined_->acts.pad(actions.padding);
  if (actions.pause) pause(*actions.pause, now);
  if (actions.discard) discard(now);
  if (actions.recover && joined_->state.missing) {
    stream_->recover(current_.channel.group, *joined_->state.missing);
  }
  if (!actions.report) return false;
  const bool retargeted = stream_->ladder().report(id_, actions.decision, now);
  if (!actions.rate_changed) return retargeted;
  const auto& decision = actions.decision;
  stream_->metrics().decision(decision.reason);
  base::log::debug(
      "decision",
      {{"viewer", id_}, {"rate", decision.rate}, {"reason", abr::name(decision.reason)}});
  record_.decided(decision, control_.path(), base::Clock::now());
  return retargeted;
}

void ViewerControl::change(abr::CongestionControl wanted, base::Time now) {
  credit(now);
  if (!steering_.change(joined_->fd, wanted)) return;  // SocketWarnings has told why
  stream_->metrics().congestion_control_changed(wanted);
  record_.put([&] { return trace_line::congestion_control(wanted, now); });
  base::log::info("congestion_control_changed", {{"viewer", id_}, {"to", abr::name(wanted)}});
}

/// In a shared group the others still get the frames.
void ViewerControl::pause(base::Duration length, base::Time now) {
  const bool alone = stream_->pause(current_.channel.group, now + length);
  if (!alone && length.count() > 0) joined_->acts.pause();
}

void ViewerControl::discard(base::Time now) {
  if (const auto discarded = joined_->acts.discard_unsent()) {
    record_.put([&] { return trace_line::discard(*discarded, now); });
  }
}

void ViewerControl::on_delivered(const server::SentFrame& frame, const FrameDelivery& delivery) {
  if (!observer_.frame_delivered(frame, delivery)) stream_->metrics().delivery_unused();
  if (2 * delivery.uncertainty <= 3 * observer_.frame_interval()) {
    stream_->metrics().frame_timed(delivery.source);
    delays_.frame_delivered(delivery.at - frame.captured);
  }
  delays_.acknowledged(delivery.at);
  record_.acknowledged(frame.captured);
  record_.put([&] { return trace_line::frame(frame, delivery, control_.path().capacity); });
}

void ViewerControl::note(const server::ViewerTick& tick, const tcpinfo::TcpSample& sample) {
  auto& viewer = record_.viewer();
  record_.sampled(sample);
  record_.update_behind_live(tick.now);
  note_experience(tick.now);
  viewer.path = control_.path();
  viewer.connected = tick.state.connected;
  viewer.bytes_sent = tick.state.sent;
  viewer.frames_dropped = tick.state.frames_dropped;
  viewer.switches = tick.state.switches;
  if (record_.publish_due(tick.now)) {
    record_.watch_picture(observer_.frame_interval(), tick.now);
    segments_.update(stream_->metrics(), sample.segments_sent, sample.total_retransmits);
    steering_.follow_capacity(tick.fd, viewer.path.capacity);
    deps_.table.put(viewer);
  }
  record_.trace_sample(tick.state.rate, tick.now);
}

void ViewerControl::note_experience(base::Time now) {
  const bool player_pauses = record_.viewer().path.reader_rate.bps() > 0;
  if (!learns_ || player_pauses) return;
  experience_.update(current_.rate / limits_.max, record_.late(observer_.frame_interval()), now);
  if (now >= next_credit_) credit(now);
}

/// The congestion control that the connection has had until now.
void ViewerControl::credit(base::Time now) {
  next_credit_ = now + kCreditInterval;
  if (!learns_) return;
  deps_.networks.add(
      peer_, steering_.bbr() ? abr::CongestionControl::kBbr : abr::CongestionControl::kCubic,
      experience_.take());
}

void ViewerControl::on_leave(const server::ViewerTick& tick, server::LeaveReason reason) {
  credit(tick.now);
  const auto& viewer = record_.viewer();
  if (const auto sample = take_sample(tick.now)) {
    deliveries_.on_sample(*sample, tick);
  }
  if (const auto last = tcpinfo::read_tcp_info(tick.fd)) {
    segments_.update(stream_->metrics(), last->info.data_segs_out, last->info.total_retrans);
    deps_.ends.viewer_left(tcpinfo::socket_cookie(tick.fd), id_, viewer.stream, viewer.address,
                           *last, tick.now);
  }
  base::log::info("viewer_left", {{"viewer", id_},
                                  {"stream", viewer.stream},
                                  {"address", tick.state.address.text()},
                                  {"reason", name(reason)},
                                  {"seconds", tick.now - tick.state.connected},
                                  {"bytes", tick.state.sent.bytes()},
                                  {"frames_sent", tick.state.frames_sent},
                                  {"frames_dropped", tick.state.frames_dropped},
                                  {"congestion_events", viewer.events}});
  tick.sent.take_all([this](const server::SentFrame& frame) {
    record_.put([&] { return trace_line::frame(frame, {}, {}); });
  });
  record_.end(trace_line::leave(tick, reason));
}

}  // namespace app
