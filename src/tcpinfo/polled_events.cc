#include "tcpinfo/polled_events.h"

#include <algorithm>
#include <utility>

namespace tcpinfo {

namespace {

std::uint32_t timeouts_between(const TcpSample& before, const TcpSample& now) {
  if (now.total_timeouts && before.total_timeouts) {
    // The kernel's counter has 16 bits: the difference survives a wrap.
    return static_cast<std::uint16_t>(*now.total_timeouts - *before.total_timeouts);
  }
  const bool entered = now.ca_state == CaState::kLoss && before.ca_state != CaState::kLoss;
  const auto in_row = now.timeouts_in_row > before.timeouts_in_row
                          ? now.timeouts_in_row - before.timeouts_in_row
                          : 0;
  return std::max<std::uint32_t>(in_row, entered ? 1 : 0);
}

bool fell(const std::optional<std::uint32_t>& now, const std::optional<std::uint32_t>& before) {
  return now && (!before || *now < *before);
}

}  // namespace

std::optional<EventKind> PolledEvents::retransmission(const TcpSample& now, bool timed_out) {
  const TcpSample& before = *previous_;
  const std::uint32_t doubted = std::exchange(doubtful_, 0);
  if (now.ca_state == CaState::kRecovery && before.ca_state != CaState::kRecovery) {
    return EventKind::kDupack;
  }
  if (timed_out || std::max(before.ca_state, now.ca_state) >= CaState::kRecovery) return {};
  const bool was_loss = now.duplicates - duplicates_ < doubted;
  const std::uint32_t retransmitted = now.total_retransmits - before.total_retransmits;
  if (was_loss || (retransmitted > 0 && fell(now.ssthresh, before.ssthresh))) {
    return EventKind::kDupack;
  }
  if (retransmitted > 0 && now.rtt < now.at - before.at) {
    doubtful_ = retransmitted;
    duplicates_ = before.duplicates;
  } else if (retransmitted > 0) {
    return EventKind::kTlp;
  }
  return doubted > 0 ? std::optional{EventKind::kTlp} : std::nullopt;
}

bool PolledEvents::reduced(const TcpSample& now, bool timed_out) const {
  const TcpSample& before = *previous_;
  if (std::max(before.ca_state, now.ca_state) >= CaState::kRecovery) return false;
  if (now.ca_state == CaState::kCwr) return before.ca_state < CaState::kCwr;
  const bool quiet = !timed_out && now.total_retransmits == before.total_retransmits;
  // A fall from infinity can be the end of slow start (RFC 9406).
  return quiet && before.ca_state < CaState::kCwr && before.ssthresh &&
         fell(now.ssthresh, before.ssthresh);
}

bool PolledEvents::undone(const TcpSample& now) {
  if (fell(now.ssthresh, previous_->ssthresh)) before_fall_ = previous_->ssthresh;
  if (!before_fall_ || now.ssthresh != *before_fall_) return false;
  before_fall_.reset();
  return true;
}

std::vector<CongestionEvent> PolledEvents::update(const TcpSample& sample) {
  std::vector<CongestionEvent> events;
  if (previous_) {
    const auto add = [&](EventKind kind) {
      events.push_back({.kind = kind,
                        .at = sample.at,
                        .cwnd = sample.cwnd,
                        .ssthresh = sample.ssthresh,
                        .srtt = sample.rtt,
                        .sacked = sample.sacked,
                        .lost = sample.lost});
    };
    const auto timeouts = timeouts_between(*previous_, sample);
    for (std::uint32_t i = 0; i < timeouts; ++i) add(EventKind::kRexmt);
    if (const auto kind = retransmission(sample, timeouts > 0)) add(*kind);
    if (reduced(sample, timeouts > 0)) add(EventKind::kCwr);
    if (undone(sample)) add(EventKind::kUndo);
  }
  previous_ = sample;
  return events;
}

}  // namespace tcpinfo
