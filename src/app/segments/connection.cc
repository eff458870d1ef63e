#include "app/segments/connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/tcp/socket_steering.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_control.h"

namespace app {

namespace {

// Round-trip time over base RTT from which packets are queueing on the path.
constexpr double kQueueingRttRatio = 1.5;

// Of what happened before the first sample of a response nothing is known. Samples of a busy
// connection come 20 times a second.
constexpr base::Duration kMaxTaking = std::chrono::milliseconds{100};

// Segments: an initial window (RFC 6928), which may pass in one burst. After a fall of the path
// more are lost, and the time in which they are sent again shows its rate.
constexpr std::uint32_t kMaxRepair = 10;

bool is_slow_start(const tcpinfo::TcpSample& sample) {
  return !sample.ssthresh || sample.cwnd < *sample.ssthresh;
}

/// Whether nothing is missing but some lost segments: so few that sending them takes no time to
/// speak of.
bool is_repairing(const tcpinfo::TcpSample& sample) {
  return sample.notsent.bytes() == 0 && sample.lost > 0 && sample.lost <= kMaxRepair &&
         sample.unacked <= sample.sacked + sample.lost;
}

}  // namespace

SegmentConnection::SegmentConnection(const Deps& deps, ViewerId id, int fd, int loop)
    : deps_{deps}, id_{id}, fd_{fd}, events_{deps_.events, deps_.event_source, loop} {}

SegmentConnection::~SegmentConnection() { detach(base::Clock::now()); }

void SegmentConnection::on_request(std::shared_ptr<SegmentSession> session,
                                   const SegmentSession::ResponseHold& hold,
                                   const server::Address& peer, base::Time now) {
  // The next response may follow before the next tick, and would seem to be part of the last one.
  if (busy_) sample(false, now);
  response_ = hold;
  if (session != session_) {
    detach(now);
    attach(std::move(session), peer);
  }
  end_load();
  sent_parts_.on_request(now);
}

/// The player has all of the last response. A response that is sent while its media is made waits
/// once for a round trip, like any other.
void SegmentConnection::end_load() {
  const auto load = std::exchange(load_, {.repaired = rate_.repaired()});
  if (load.media <= base::Duration{}) return;
  session_->loaded(load.media, min_rtt_ + rate_.repaired() - load.repaired);
}

/// A player may close the connection, and a proxy may use it for another one, as soon as the last
/// byte has arrived.
void SegmentConnection::detach(base::Time now) {
  if (!session_) return;
  if (!sent_parts_.empty()) {
    if (const auto sample = take_sample(now)) {
      rate_.update(transfer_sample(*sample));
      take_delivered(*sample);
      earn_place(*sample);
    }
  }
  sent_parts_.clear();
  end_load();
  session_->forget(id_, rate_);
  deps_.connections.remove(id_);
}

void SegmentConnection::attach(std::shared_ptr<SegmentSession> session,
                               const server::Address& peer) {
  const bool first = !session_;
  session_ = std::move(session);
  if (first) {
    rate_ = session_->transfer_rate();
  } else {
    rate_.assume(session_->throughput());
  }
  deps_.connections.put(id_, fd_, session_->telemetry());
  if (first) set_up_socket(peer);
}

/// Sets no pacing rate and no ssthresh, which would both hide the path's capacity. Does not shorten
/// the retransmission timeout either: after a pause of that length TCP restarts with slow start
/// (tcp_slow_start_after_idle), and there are pauses of 200 ms between parts.
void SegmentConnection::set_up_socket(const server::Address& peer) {
  const auto settings = session_->stream().viewer_settings();
  auto control = start_control(peer, settings->tcp, deps_.standard_controls);
  if (control.automatic) {
    const auto best = deps_.networks.best(peer);
    session_->stream().metrics().automatic_start(best);
    control.name = abr::name(best.control);
  }
  tcpinfo::Hints hints{.congestion_control = control.name};
  if (settings->tcp.initial_window > 0) {
    hints.cwnd = static_cast<std::uint32_t>(settings->tcp.initial_window);
  }
  const auto applied = deps_.hints.apply(fd_, hints);
  bbr_ = tcpinfo::is_bbr(applied.congestion_control);
  if (!applied.error.empty()) {
    deps_.warnings.failed("congestion control " + hints.congestion_control, applied.error);
  }
  if (!rto_max_.begin(fd_, settings->tcp.rto_max)) {
    deps_.warnings.failed("TCP_RTO_MAX_MS", "see symcast doctor", errno);
  }
  events_.watch(fd_, id_, [this](const auto& event, base::Time now) {
    session_->event(event, events_.source(), now);
    if (tcpinfo::is_loss(event.kind)) sample(true, now);
  });
}

void SegmentConnection::on_sending(const server::ResponseConnection& connection,
                                   const segments::Part& part, bool live, base::Time now) {
  if (connection.head_only) return;
  if (!busy_) skip_idle(now);
  const auto size = part.bytes().size();
  busy_ = true;
  hold_ = response_.lock();
  session_->add_sent(base::ByteCount{static_cast<std::int64_t>(size)});
  const auto max_live_age = SentVideo::kLiveParts * session_->stream().segments().clock().part;
  const bool video = part.packets().front()->kind == media::Packet::Kind::kVideo;
  if (video) load_.media += part.duration();
  transfer_ += base::ByteCount{static_cast<std::int64_t>(size)};
  sent_parts_.add({.size = size,
                   .captured = part.captured(),
                   .duration = part.duration(),
                   .video = video,
                   .latency_critical = live && now - part.captured() <= max_live_age},
                  connection.sent);
}

bool SegmentConnection::on_tick(const server::ResponseConnection&, base::Time now) {
  if (!busy_) return false;
  sample(false, now);
  return true;
}

abr::TransferRate::Sample SegmentConnection::transfer_sample(
    const tcpinfo::TcpSample& sample) const {
  const bool queueing = sample.rtt >= kQueueingRttRatio * sample.min_rtt;
  return {.at = sample.at,
          .acked = sample.bytes_acked,
          .sacked = std::uint64_t{sample.sacked} * sample.mss,
          .retransmits = sample.total_retransmits,
          .busy = sample.busy,
          .receiver_limited = sample.receiver_limited,
          .min_rtt = sample.min_rtt,
          .rtt = sample.rtt,
          .delivery_rate = sample.delivery_rate,
          .window_limited = !bbr_ && is_slow_start(sample) && !queueing,
          .repairing = is_repairing(sample),
          .idle = sample.unacked == 0 && sample.notsent.bytes() == 0};
}

std::optional<tcpinfo::TcpSample> SegmentConnection::take_sample(base::Time now) {
  const auto sample = deps_.sampler.sample(fd_, now);
  if (!sample) return {};
  rto_max_.follow(fd_, sample->rtt);
  min_rtt_ = sample->min_rtt;
  return series_.next(*sample);
}

/// Between parts only playlists and the like are sent: a few packets, which say little about the
/// path.
void SegmentConnection::skip_idle(base::Time now) {
  const auto sample = take_sample(now);
  if (!sample) return;
  rate_.skip_idle(transfer_sample(*sample));
  acked_ = sample->bytes_acked;
}

void SegmentConnection::sample(bool lost, base::Time now) {
  const auto sample = take_sample(now);
  if (!sample) return;
  lost |= report_polled_events(*sample);
  segments_.update(session_->stream().metrics(), sample->segments_sent, sample->total_retransmits);
  const auto counts = transfer_sample(*sample);
  rate_.update(counts);
  // A player that loads only audio has not loaded the rendition that it asked for.
  const bool video = sent_parts_.has_video();
  const auto taking = earn_place(*sample);
  const auto captured = take_delivered(*sample);
  // TCP is idle, too, while a part waits for its turn to be written.
  busy_ = !counts.idle || !sent_parts_.empty();
  if (!busy_) {
    restart_bbr(*sample);
    end_response();
  }
  session_->report(id_,
                   {.throughput = rate_.value(),
                    .measured = rate_.measured(),
                    .silent = rate_.is_silent(),
                    .busy = busy_,
                    .taking = video ? taking : base::Duration{},
                    .late = sent_parts_.late(now),
                    .rtt = sample->rtt,
                    .lost = lost,
                    .captured = captured},
                   *sample, now);
}

/// All data is acknowledged: the best moment, as BBR then begins with the next part.
void SegmentConnection::restart_bbr(const tcpinfo::TcpSample& sample) {
  const auto amount = std::exchange(transfer_, {});
  const auto rate = rate_.value();
  if (!bbr_ || !rate) return;
  const abr::BbrRestart::Transfer transfer{.amount = amount,
                                           .rate = *rate,
                                           .pace = sample.pacing,
                                           .rtt = sample.rtt,
                                           .min_rtt = sample.min_rtt};
  if (!bbr_restart_.wanted(transfer, sample.at)) return;
  const auto applied = deps_.hints.restart(fd_);
  bbr_ = tcpinfo::is_bbr(applied.congestion_control);
  if (!applied.error.empty()) deps_.warnings.failed("a new start of BBR", applied.error);
  session_->stream().metrics().bbr_restart();
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

/// Returns the time since the last sample, if bytes were acknowledged in it.
base::Duration SegmentConnection::earn_place(const tcpinfo::TcpSample& sample) {
  const auto media = sample.bytes_acked - std::exchange(acked_, sample.bytes_acked);
  session_->took(base::ByteCount{static_cast<std::int64_t>(media)}, sample.at);
  const auto since = std::exchange(sampled_, sample.at);
  return media > 0 ? std::min(sample.at - since, kMaxTaking) : base::Duration{};
}

/// Returns the capture time of the newest part delivered, zero without one. Its acknowledgement was
/// the last one, or came before it.
base::Time SegmentConnection::take_delivered(const tcpinfo::TcpSample& sample) {
  base::Time newest{};
  sent_parts_.take(sample.bytes_acked, [&](const SentParts::Acknowledged& part) {
    newest = part.captured;
    if (part.video) {
      session_->delivered(part.duration, part.awaited, sample.at - sample.since_ack);
    }
  });
  return newest;
}

}  // namespace app
