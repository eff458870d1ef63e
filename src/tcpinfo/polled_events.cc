#include "tcpinfo/polled_events.h"

#include <algorithm>
#include <utility>

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

bool fell(const std::optional<std::uint32_t>& now, const std::optional<std::uint32_t>& before) {
  return now && (!before || *now < *before);
}

}  // namespace

const char* name(EventKind kind) { return kind == EventKind::kRexmt ? "rexmt" : "dupack"; }

bool PolledEvents::recovery_began(const TcpSample& now, bool timed_out) {
  const TcpSample& before = *previous_;
  const std::uint32_t doubted = std::exchange(doubtful_, 0);
  if (now.ca_state == CaState::kRecovery && before.ca_state < CaState::kRecovery) return true;
  if (timed_out || std::max(before.ca_state, now.ca_state) >= CaState::kRecovery) return false;
  const bool was_loss = now.duplicates - duplicates_ < doubted;
  const std::uint32_t retransmitted = now.total_retransmits - before.total_retransmits;
  if (retransmitted > 0 && fell(now.ssthresh, before.ssthresh)) return true;
  if (now.rtt < now.at - before.at) {
    doubtful_ = retransmitted;
    duplicates_ = before.duplicates;
  }
  return was_loss;
}

std::vector<CongestionEvent> PolledEvents::update(const TcpSample& sample) {
  std::vector<CongestionEvent> events;
  if (previous_) {
    const auto timeouts = timeouts_between(*previous_, sample);
    const auto event = [&](EventKind kind) {
      return CongestionEvent{kind, sample.at, sample.cwnd, sample.ssthresh, sample.rtt};
    };
    events.assign(timeouts, event(EventKind::kRexmt));
    if (recovery_began(sample, timeouts > 0)) {
      events.push_back(event(EventKind::kDupack));
    }
  }
  previous_ = sample;
  return events;
}

}  // namespace tcpinfo
