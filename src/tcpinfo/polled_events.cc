#include "tcpinfo/polled_events.h"

#include <algorithm>

namespace tcpinfo {

namespace {

std::uint32_t timeouts_between(const TcpSample& before, const TcpSample& now) {
  if (now.total_timeouts && before.total_timeouts) {
    // 16 bits in the kernel: the difference survives the wrap.
    return static_cast<std::uint16_t>(*now.total_timeouts - *before.total_timeouts);
  }
  const bool entered = now.ca_state == CaState::kLoss && before.ca_state != CaState::kLoss;
  const auto in_row = now.timeouts_in_row > before.timeouts_in_row
                          ? now.timeouts_in_row - before.timeouts_in_row
                          : 0;
  return std::max<std::uint32_t>(in_row, entered ? 1 : 0);
}

bool recovery_began(const TcpSample& before, const TcpSample& now, bool timed_out) {
  if (now.ca_state == CaState::kRecovery && before.ca_state < CaState::kRecovery) return true;
  if (timed_out || now.total_retransmits == before.total_retransmits) return false;
  // Retransmitted between two samples outside recovery: one has come and gone. ssthresh tells
  // nothing: bbr leaves it alone.
  return std::max(before.ca_state, now.ca_state) < CaState::kRecovery;
}

}  // namespace

const char* name(EventKind kind) { return kind == EventKind::kRexmt ? "rexmt" : "dupack"; }

std::vector<CongestionEvent> PolledEvents::update(const TcpSample& sample) {
  std::vector<CongestionEvent> events;
  if (previous_) {
    const auto timeouts = timeouts_between(*previous_, sample);
    const auto event = [&](EventKind kind) {
      return CongestionEvent{kind, sample.at, sample.cwnd, sample.ssthresh, sample.rtt};
    };
    events.assign(timeouts, event(EventKind::kRexmt));
    if (recovery_began(*previous_, sample, timeouts > 0)) {
      events.push_back(event(EventKind::kDupack));
    }
  }
  previous_ = sample;
  return events;
}

}  // namespace tcpinfo
