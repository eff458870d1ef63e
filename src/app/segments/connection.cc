#include "app/segments/connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/tcp/socket_steering.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_control.h"

namespace app {

namespace {

// In part durations. The player has requested a part late if the part is older when it is sent.
constexpr int kMaxLivePartAge = 2;

// Round-trip time over base RTT from which packets are queueing on the path.
constexpr double kQueueingRttRatio = 1.5;

bool is_slow_start(const tcpinfo::TcpSample& sample) {
  return !sample.ssthresh || sample.cwnd < *sample.ssthresh;
}

}  // namespace

SegmentConnection::SegmentConnection(const Deps& deps, ViewerId id, int fd, int loop)
    : deps_{deps}, id_{id}, fd_{fd}, loop_{loop}, events_{deps_.events, deps_.event_source} {}

SegmentConnection::~SegmentConnection() {
  if (session_) session_->forget(id_);
}

void SegmentConnection::attach(std::shared_ptr<SegmentSession> session,
                               const server::Address& peer) {
  if (session == session_) return;
  const bool first = !session_;
  if (session_) session_->forget(id_);
  session_ = std::move(session);
  rate_.assume(session_->throughput());
  if (first) set_up_socket(peer);
}

/// Sets no pacing rate and no ssthresh, which would both hide the path's capacity. Does not shorten
/// the retransmission timeout either: after a pause of that length TCP restarts with slow start
/// (tcp_slow_start_after_idle), and there are pauses of 200 ms between parts.
void SegmentConnection::set_up_socket(const server::Address& peer) {
  const auto settings = session_->stream().viewer_settings();
  tcpinfo::Hints hints{.congestion_control = congestion_control_for(
                           peer, settings->tcp, deps_.standard_congestion_control)};
  if (settings->tcp.initial_window > 0) {
    hints.cwnd = static_cast<std::uint32_t>(settings->tcp.initial_window);
  }
  const auto applied = deps_.hints.apply(fd_, hints);
  bbr_ = tcpinfo::is_bbr(applied.congestion_control);
  if (!applied.error.empty()) {
    deps_.warnings.failed("congestion control " + hints.congestion_control, applied.error);
  }
  const auto rto_max = settings->tcp.rto_max;
  if (rto_max < kKernelsRtoMax && !tcpinfo::set_rto_max(fd_, rto_max)) {
    deps_.warnings.failed("TCP_RTO_MAX_MS", "see symcast doctor", errno);
  }
  events_.watch(fd_, id_, loop_, [this](const auto& event, base::Time now) {
    session_->event(event, events_.source(), now);
    if (tcpinfo::is_loss(event.kind)) sample(true, now);
  });
}

/// A player loads old parts to fill its buffer, without hurry, and does not wait for parts that are
/// queued behind them. Neither count for lateness.
void SegmentConnection::on_sending(const server::ResponseConnection& connection,
                                   const segments::Part& part, bool live, base::Time now) {
  if (connection.head_only) return;
  if (!busy_) skip_idle(now);
  const auto size = part.bytes().size();
  busy_ = true;
  session_->add_sent(base::ByteCount{static_cast<std::int64_t>(size)});
  if (sent_parts_.size() >= kMaxUnackedParts) sent_parts_.pop_front();
  const auto before = std::max(connection.sent, sent_parts_.empty() ? 0 : sent_parts_.back().end);
  const bool behind_old = !sent_parts_.empty() && !sent_parts_.back().latency_critical;
  const auto age = now - part.captured();
  sent_parts_.push_back(
      {.end = before + size,
       .captured = part.captured(),
       .latency_critical = live && !behind_old &&
                           age <= kMaxLivePartAge * session_->stream().segments().clock().part});
}

void SegmentConnection::on_tick(const server::ResponseConnection&, base::Time now) {
  if (busy_) sample(false, now);
}

abr::TransferRate::Sample SegmentConnection::transfer_sample(
    const tcpinfo::TcpSample& sample) const {
  const bool queueing = sample.rtt >= kQueueingRttRatio * sample.min_rtt;
  return {.at = sample.at,
          .acked = sample.bytes_acked,
          .busy = sample.busy,
          .receiver_limited = sample.receiver_limited,
          .round_trip = sample.min_rtt,
          .delivery_rate = sample.delivery_rate,
          .window_limited = !bbr_ && is_slow_start(sample) && !queueing,
          .idle = sample.unacked == 0 && sample.notsent.bytes() == 0};
}

/// Between parts only playlists and the like are sent: a few packets, which say little about the
/// path.
void SegmentConnection::skip_idle(base::Time now) {
  if (const auto sample = deps_.sampler.sample(fd_, now)) rate_.skip_idle(transfer_sample(*sample));
}

void SegmentConnection::sample(bool lost, base::Time now) {
  const auto sample = deps_.sampler.sample(fd_, now);
  if (!sample) return;
  lost |= report_polled_events(*sample);
  segments_.update(session_->stream().metrics(), sample->segments_sent, sample->total_retransmits);
  const auto counts = transfer_sample(*sample);
  rate_.update(counts);
  busy_ = !counts.idle;
  const auto captured = take_delivered(sample->bytes_acked);
  session_->report(id_,
                   {.throughput = rate_.value(),
                    .measured = rate_.measured(),
                    .busy = !counts.idle,
                    .late = late(now),
                    .rtt = sample->rtt,
                    .lost = lost,
                    .captured = captured},
                   *sample, now);
}

/// Reports the congestion events that nothing pushes. Returns whether one of them is a loss.
bool SegmentConnection::report_polled_events(const tcpinfo::TcpSample& sample) {
  bool lost = false;
  for (const auto& event : events_.polled(sample)) {
    session_->event(event, tcpinfo::EventSource::kTcpInfo, sample.at);
    lost |= tcpinfo::is_loss(event.kind);
  }
  return lost;
}

base::Time SegmentConnection::take_delivered(std::uint64_t acked) {
  base::Time newest{};
  for (; !sent_parts_.empty() && sent_parts_.front().end <= acked; sent_parts_.pop_front()) {
    newest = sent_parts_.front().captured;
  }
  return newest;
}

base::Duration SegmentConnection::late(base::Time now) const {
  const auto oldest = std::ranges::find(sent_parts_, true, &SentPart::latency_critical);
  return oldest == sent_parts_.end() ? base::Duration{} : now - oldest->captured;
}

}  // namespace app
