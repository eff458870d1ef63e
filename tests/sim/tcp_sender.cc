#include "tcp_sender.h"

#include <algorithm>
#include <utility>

namespace sim {

namespace {

using namespace std::chrono_literals;

constexpr int kMaxBackoff = 9;                    // doublings up to TCP_RTO_MAX, 120 s
constexpr base::Duration kMaxTimeout = 120s;      // TCP_RTO_MAX
constexpr base::Duration kMinProbeTimeout = 2ms;  // TCP_TIMEOUT_MIN, with HZ = 1000

}  // namespace

void TcpSender::write(base::ByteCount size) {
  // tcp_rate_check_app_limited()
  const bool nothing_waits = notsent() < base::ByteCount{kMss} && board_.lost() == 0;
  if (nothing_waits && !window_is_full()) delivery_rate_.on_app_limited(board_.in_flight());
  state_.written += static_cast<Offset>(size.bytes());
  write_ends_.push_back(state_.written);
}

void TcpSender::on_ack(const Ack& ack, base::Time now) {
  const bool advances = ack.cumulative > state_.cumulative;
  const auto effect = board_.acknowledge(ack, now, round_trip_.min(), delivery_rate_);
  state_.cumulative = std::max(state_.cumulative, ack.cumulative);
  state_.delivered += effect.bytes;
  if (effect.rtt.count() > 0) round_trip_.add(effect.rtt);
  if (state_.recovering && state_.cumulative >= recovery_end_) end_recovery();
  const auto lost = detect_losses(now);
  if (effect.acked > 0) tell_control(effect, lost, now);
  if (!advances) return;
  backoff_ = 0;
  probed_ = false;
  restart_timer(now);
}

void TcpSender::tell_control(const Scoreboard::AckEffect& effect, std::int64_t lost,
                             base::Time now) {
  AckSample sample{.now = now,
                   .acked = static_cast<double>(effect.acked),
                   .lost = static_cast<double>(lost),
                   .in_flight = static_cast<double>(board_.in_flight()),
                   .in_flight_before = static_cast<double>(effect.in_flight_before),
                   .departs_in = std::max(base::Duration{}, pace_next_ - now),
                   .rtt = effect.rtt,
                   .min_rtt = round_trip_.min(),
                   .delivered = delivery_rate_.delivered(),
                   .window_limited = window_use_.limited(*control_),
                   .fast_recovery = state_.recovering && !timed_out_};
  if (effect.rtt.count() > 0) {
    sample.delivery_rate =
        delivery_rate_.sample(effect.snapshot, effect.sent, now, round_trip_.min(), kMss);
    sample.app_limited = effect.snapshot.app_limited;
    sample.delivered_before = effect.snapshot.delivered;
  }
  control_->on_ack(sample);
  last_ack_ = sample;
  if (control_->holds_back()) delivery_rate_.on_app_limited(board_.in_flight());
}

std::int64_t TcpSender::detect_losses(base::Time now) {
  const auto lost = board_.find_losses(now, round_trip_, state_.recovering);
  if (lost > 0 && !state_.recovering) begin_recovery();
  return lost;
}

void TcpSender::begin_recovery() {
  state_.recovering = true;
  timed_out_ = false;
  ++state_.dupack;
  recovery_end_ = state_.next;
  control_->on_loss();
}

void TcpSender::end_recovery() {
  state_.recovering = false;
  timed_out_ = false;
  control_->on_recovered();
}

std::optional<base::Time> TcpSender::timer() const {
  auto first = base::Time::max();
  if (retransmit_at_) first = *retransmit_at_;
  if (board_.timer()) first = std::min(first, *board_.timer());
  if (waits_for_pace_) first = std::min(first, pace_next_);
  return first == base::Time::max() ? std::nullopt : std::optional{first};
}

void TcpSender::on_timer(base::Time now) {
  if (waits_for_pace_ && pace_next_ <= now) waits_for_pace_ = false;
  if (board_.timer() && *board_.timer() <= now) detect_losses(now);
  if (!retransmit_at_ || *retransmit_at_ > now) return;
  if (!probed_ && !state_.recovering) {
    probe_tail(now);
  } else {
    expire(now);
  }
}

/// RFC 8985, 7.3: sends a new segment, or the last one again if there is none.
void TcpSender::probe_tail(base::Time now) {
  probed_ = true;
  beyond_window_ = state_.next < state_.written;
  if (!beyond_window_) board_.lose_last();
  retransmit_at_ = now + round_trip_.timeout();
}

/// RFC 6298, 5.4 to 5.7.
void TcpSender::expire(base::Time now) {
  const bool again = state_.recovering && (!timed_out_ || backoff_ > 0);
  ++state_.rexmt;
  state_.recovering = true;
  timed_out_ = true;
  recovery_end_ = state_.next;
  board_.lose_all();
  control_->on_timeout(again);
  backoff_ = std::min(backoff_ + 1, kMaxBackoff);
  retransmit_at_ = now + backed_off();
}

base::Duration TcpSender::backed_off() const {
  return std::min(kMaxTimeout, round_trip_.timeout() * (1 << backoff_));
}

/// Sets the time of the tail loss probe if it may be sent (RFC 8985, 7.2), else the timeout's.
void TcpSender::restart_timer(base::Time now) {
  retransmit_at_.reset();
  if (board_.empty()) return;
  retransmit_at_ = now + round_trip_.timeout();
  if (probed_ || state_.recovering || round_trip_.smoothed().count() == 0) return;
  // The ACK of a lone segment may be delayed.
  const auto delayed = board_.size() == 1 ? RoundTrip::kMinTimeout : kMinProbeTimeout;
  const auto timeout = std::max(now, board_.first().at + round_trip_.timeout());
  retransmit_at_ = std::min(timeout, now + 2 * round_trip_.smoothed() + delayed);
}

/// tcp_update_pacing_rate(): once pacing is on, it also follows the window.
base::BitRate TcpSender::pacing() const {
  auto own = control_->pacing();
  if (most_pacing_.bps() == 0) return own;
  if (own.bps() == 0 && round_trip_.smoothed().count() > 0) {
    const auto ssthresh = control_->ssthresh();
    const bool starting = !ssthresh || control_->window() < *ssthresh / 2;
    const base::ByteCount window{static_cast<std::int64_t>(control_->window() * kMss)};
    // sysctl tcp_pacing_ss_ratio and tcp_pacing_ca_ratio
    own = (starting ? 2.0 : 1.2) * base::BitRate::of(window, round_trip_.smoothed());
  }
  return own.bps() == 0 ? most_pacing_ : std::min(own, most_pacing_);
}

bool TcpSender::window_is_full() const {
  return board_.in_flight() > 0 && static_cast<double>(board_.in_flight() + 1) > control_->window();
}

bool TcpSender::may_send(base::Time now) {
  if (std::exchange(beyond_window_, false)) return true;
  if (window_is_full()) {
    note_window_use(now);
    return false;
  }
  waits_for_pace_ = now < pace_next_ && pacing().bps() > 0;
  return !waits_for_pace_;
}

void TcpSender::note_window_use(base::Time now) {
  const auto used = window_use_.note({.now = now,
                                      .in_flight = board_.in_flight(),
                                      .limited = window_is_full(),
                                      .cumulative = state_.cumulative,
                                      .next = state_.next},
                                     *control_, round_trip_.timeout());
  if (!used || state_.recovering) return;
  control_->on_unused_window(
      std::max(CongestionControl::kInitialWindow, static_cast<double>(*used)));
}

std::optional<Segment> TcpSender::send(base::Time now) {
  const bool again = board_.lost() > 0;
  if (!again && state_.next == state_.written) return std::nullopt;
  if (!may_send(now)) return std::nullopt;
  return again ? retransmit(now) : transmit_new(now);
}

Segment TcpSender::transmit_new(base::Time now) {
  while (write_ends_.front() <= state_.next) write_ends_.pop_front();
  const Offset end = std::min(state_.next + kMss, write_ends_.front());
  auto& segment = board_.add({state_.next, end}, end == write_ends_.front());
  state_.next = end;
  const auto sent = transmit(segment, now);
  // RFC 8985, 7.2: new data postpones the probe.
  if (backoff_ == 0 && !probed_ && !state_.recovering) restart_timer(now);
  return sent;
}

Segment TcpSender::retransmit(base::Time now) {
  ++state_.retransmits;
  auto& segment = board_.take_lost();
  // tcp_xmit_retransmit_queue(): the segment that all others wait for gets its full time again.
  if (&segment == &board_.first()) retransmit_at_ = now + backed_off();
  return transmit(segment, now);
}

Segment TcpSender::transmit(Scoreboard::Sent& segment, base::Time now) {
  segment.snapshot = delivery_rate_.on_send(now, board_.size() == 1 && !segment.again);
  if (board_.in_flight() == 0) {
    control_->on_restart(now, now - last_sent_, segment.snapshot.app_limited);
  }
  last_sent_ = now;
  board_.note_sent(segment, now);
  note_window_use(now);
  pace(segment.bytes, now);
  if (!retransmit_at_) restart_timer(now);
  return {flow_, segment.bytes, segment.push};
}

void TcpSender::pace(const Range& bytes, base::Time now) {
  const auto rate = pacing();
  if (rate.bps() > 0) pace_next_ = std::max(pace_next_, now) + size_of(bytes) / rate;
}

}  // namespace sim
