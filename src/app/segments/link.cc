#include "app/segments/link.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/tcp/socket_steering.h"
#include "tcpinfo/congestion_control.h"
#include "tcpinfo/socket_control.h"

namespace app {

namespace {

// Parts: what is older when it goes out was asked for late.
constexpr int kFresh = 2;

// Of the least round trip: where it is longer, packets wait on the path.
constexpr double kWaits = 1.5;

bool is_slow_start(const tcpinfo::TcpSample& sample) {
  return !sample.ssthresh || sample.cwnd < *sample.ssthresh;
}

}  // namespace

SegmentLink::SegmentLink(Shared shared, ViewerId id, int fd, int loop)
    : shared_{std::move(shared)}, id_{id}, fd_{fd}, loop_{loop} {}

SegmentLink::~SegmentLink() {
  if (session_) session_->forget(id_);
}

void SegmentLink::carry(std::shared_ptr<SegmentSession> session, const server::Address& address) {
  if (session == session_) return;
  const bool first = !session_;
  if (session_) session_->forget(id_);
  session_ = std::move(session);
  rate_.assume(session_->carried());
  if (first) begin(address);
}

/// Neither a limit of the pace nor one of slow start: each would hide what the path carries. Nor a
/// shorter retransmission timer: TCP takes a pause as long as that for the end of what it knows of
/// the path (tcp_slow_start_after_idle), and pauses of 200 ms are between parts.
void SegmentLink::begin(const server::Address& address) {
  const auto settings = session_->stream().viewer_settings();
  tcpinfo::Hints hints{.congestion_control = congestion_control_for(
                           address, settings->tcp, shared_.standard_congestion_control)};
  if (settings->tcp.initial_window > 0) {
    hints.cwnd = static_cast<std::uint32_t>(settings->tcp.initial_window);
  }
  const auto applied = shared_.hints.apply(fd_, hints);
  bbr_ = tcpinfo::is_bbr(applied.congestion_control);
  if (!applied.error.empty()) {
    shared_.warnings.failed("congestion control " + hints.congestion_control, applied.error);
  }
  const auto rto_max = settings->tcp.rto_max;
  if (rto_max < kKernelsRtoMax && !tcpinfo::set_rto_max(fd_, rto_max)) {
    shared_.warnings.failed("TCP_RTO_MAX_MS", "see symcast doctor", errno);
  }
  watch_ = shared_.events.watch(fd_, id_, loop_, [this](const auto& event, base::Time now) {
    session_->event(event, shared_.event_source, now);
    if (tcpinfo::is_loss(event.kind)) look(true, now);
  });
}

/// What was there long before, a player loads to hold it, and in no hurry; nor does he wait for
/// what stands behind that.
void SegmentLink::give(const server::Link& link, const segments::Part& part, bool live,
                       base::Time now) {
  if (link.head_only) return;
  if (!busy_) pass_over(now);
  const auto size = part.bytes().size();
  busy_ = true;
  session_->gave(base::ByteCount{static_cast<std::int64_t>(size)});
  if (given_.size() >= kMostGiven) given_.pop_front();
  const auto before = std::max(link.sent, given_.empty() ? 0 : given_.back().end);
  const bool behind_old = !given_.empty() && !given_.back().awaited;
  const auto age = now - part.captured();
  given_.push_back({.end = before + size,
                    .captured = part.captured(),
                    .awaited = live && !behind_old &&
                               age <= kFresh * session_->stream().segments().clock().part});
}

void SegmentLink::on_tick(const server::Link&, base::Time now) {
  if (busy_) look(false, now);
}

abr::TransferRate::Sample SegmentLink::counted(const tcpinfo::TcpSample& sample) const {
  const bool waits = sample.rtt >= kWaits * sample.min_rtt;
  return {.at = sample.at,
          .acked = sample.bytes_acked,
          .busy = sample.busy,
          .receiver_limited = sample.receiver_limited,
          .round_trip = sample.min_rtt,
          .delivery_rate = sample.delivery_rate,
          .window_limited = !bbr_ && is_slow_start(sample) && !waits,
          .idle = sample.unacked == 0 && sample.notsent.bytes() == 0};
}

/// What has passed since is no media: a few segments, which say little.
void SegmentLink::pass_over(base::Time now) {
  if (const auto sample = shared_.sampler.sample(fd_, now)) rate_.pass_over(counted(*sample));
}

void SegmentLink::look(bool lost, base::Time now) {
  const auto sample = shared_.sampler.sample(fd_, now);
  if (!sample) return;
  lost |= note_polled(*sample);
  const auto counts = counted(*sample);
  rate_.update(counts);
  busy_ = !counts.idle;
  const auto captured = take_delivered(sample->bytes_acked);
  session_->heard(id_,
                  {.carries = rate_.value(),
                   .measured = rate_.measured(),
                   .busy = !counts.idle,
                   .late = late(now),
                   .rtt = sample->rtt,
                   .lost = lost,
                   .captured = captured},
                  *sample, now);
}

/// All of them, or those that the pushed source does not tell of.
bool SegmentLink::note_polled(const tcpinfo::TcpSample& sample) {
  if (watch_ && shared_.event_source == tcpinfo::EventSource::kTracepoint) return false;
  bool lost = false;
  for (const auto& event : polled_.update(sample)) {
    if (watch_ && tcpinfo::sockops_tells(event.kind)) continue;
    session_->event(event, tcpinfo::EventSource::kTcpInfo, sample.at);
    lost |= tcpinfo::is_loss(event.kind);
  }
  return lost;
}

base::Time SegmentLink::take_delivered(std::uint64_t acked) {
  base::Time newest{};
  for (; !given_.empty() && given_.front().end <= acked; given_.pop_front()) {
    newest = given_.front().captured;
  }
  return newest;
}

base::Duration SegmentLink::late(base::Time now) const {
  const auto oldest = std::ranges::find(given_, true, &Given::awaited);
  return oldest == given_.end() ? base::Duration{} : now - oldest->captured;
}

}  // namespace app
