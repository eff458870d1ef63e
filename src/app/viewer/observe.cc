#include "app/viewer/observe.h"

#include <algorithm>

namespace app {

namespace {

base::Duration backlog(const tcpinfo::TcpSample& sample, const server::ViewerState& viewer) {
  if (viewer.rate.bps() <= 0) return {};
  return (viewer.queued + sample.notsent) / viewer.rate;
}

}  // namespace

abr::Observation observe(const ObservationInputs& inputs, const tcpinfo::TcpSample& sample,
                         const server::ViewerState& viewer) {
  const auto count = [&](tcpinfo::EventKind kind) {
    return static_cast<unsigned>(
        std::ranges::count(inputs.events, kind, &tcpinfo::CongestionEvent::kind));
  };
  const auto segments = [&](std::uint32_t n) {
    return base::ByteCount{std::int64_t{n} * sample.mss};
  };
  const base::ByteCount acked{static_cast<std::int64_t>(sample.bytes_acked)};
  const auto outstanding = viewer.sent - sample.notsent - acked;
  const auto gone = segments(sample.sacked + sample.lost) - segments(sample.retransmitted);
  const auto lost = segments(sample.lost) - segments(sample.retransmitted);
  return {
      .rexmt = count(tcpinfo::EventKind::kRexmt),
      .dupack = count(tcpinfo::EventKind::kDupack),
      .frames = inputs.frames,
      .srtt = sample.rtt,
      .min_rtt = sample.min_rtt,
      .queued = viewer.queued,
      .discardable = viewer.discardable,
      .notsent = sample.notsent,
      .in_flight = std::max(base::ByteCount{}, outstanding - gone),
      .lost = std::max(base::ByteCount{}, lost),
      .padding = inputs.padding,
      .delivered = acked + segments(sample.sacked),
      .retransmits = sample.total_retransmits,
      .cwnd = sample.cwnd,
      .ssthresh = inputs.bbr ? std::nullopt : sample.ssthresh,
      .mss = sample.mss,
      .bbr = inputs.bbr,
      .recovering = sample.ca_state >= tcpinfo::CaState::kRecovery,
      .receiver_limited = inputs.receiver_limited,
      .pacing = inputs.paced ? sample.pacing : base::BitRate{},
      .delivery_rate = sample.delivery_rate,
      .app_limited = sample.app_limited,
      .backlog = backlog(sample, viewer),
      .served = viewer.rate,
      .frame_interval = inputs.frame_interval,
      .transport = inputs.transport,
  };
}

}  // namespace app
