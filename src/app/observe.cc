#include "app/observe.h"

#include <algorithm>

namespace app {

namespace {

base::Duration backlog(const tcpinfo::TcpSample& sample, const server::ViewerState& viewer) {
  if (viewer.rate.bps() <= 0) return {};
  return (viewer.queued + sample.notsent) / viewer.rate;
}

}  // namespace

abr::Observation observe(std::span<const tcpinfo::CongestionEvent> events,
                         const tcpinfo::TcpSample& sample, const server::ViewerState& viewer) {
  const auto count = [&](tcpinfo::EventKind kind) {
    return static_cast<unsigned>(std::ranges::count(events, kind, &tcpinfo::CongestionEvent::kind));
  };
  return {
      .rexmt = count(tcpinfo::EventKind::kRexmt),
      .dupack = count(tcpinfo::EventKind::kDupack),
      .srtt = sample.rtt,
      .backlog = backlog(sample, viewer),
      .served = viewer.rate,
  };
}

}  // namespace app
