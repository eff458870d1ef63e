#include "app/tcp/congestion_events.h"

#include <chrono>
#include <utility>

namespace app {

void CongestionEvents::watch(int fd, std::uint64_t viewer, EventDispatch::Listener listener) {
  watch_ = dispatch_.watch(
      fd, viewer, loop_, [this, pass_on = std::move(listener)](const auto& event, base::Time now) {
        if (event.kind == tcpinfo::EventKind::kRtt) rtt_limit_ = {};
        pass_on(event, now);
      });
}

/// A system call only for another millisecond.
void CongestionEvents::watch_rtt(base::Duration limit) {
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(limit);
  if (!watch_ || rounded == rtt_limit_) return;
  if (watch_->limit_rtt(rounded)) rtt_limit_ = rounded;
}

std::vector<tcpinfo::CongestionEvent> CongestionEvents::polled(const tcpinfo::TcpSample& sample) {
  if (watch_ && source_ == tcpinfo::EventSource::kTracepoint) return {};  // pushes every kind
  auto events = polled_.update(sample);
  if (watch_) {
    std::erase_if(events, [](const auto& event) { return tcpinfo::sockops_reports(event.kind); });
  }
  return events;
}

}  // namespace app
