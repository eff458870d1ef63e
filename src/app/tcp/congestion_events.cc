#include "app/tcp/congestion_events.h"

namespace app {

std::vector<tcpinfo::CongestionEvent> CongestionEvents::polled(const tcpinfo::TcpSample& sample) {
  if (watch_ && source_ == tcpinfo::EventSource::kTracepoint) return {};  // pushes every kind
  auto events = polled_.update(sample);
  if (watch_) {
    std::erase_if(events, [](const auto& event) { return tcpinfo::sockops_reports(event.kind); });
  }
  return events;
}

}  // namespace app
