#include "app/viewer/observer.h"

#include <algorithm>

namespace app {

namespace {

// The configuration allows 1 to 120 frames per second. A longer interval would make control slower
// than the network, a shorter one is a burst of the source.
constexpr base::Duration kMinFrameInterval = std::chrono::milliseconds{8};
constexpr base::Duration kMaxFrameInterval = std::chrono::milliseconds{200};

/// At most 2^62 bytes, so that sums do not overflow.
base::ByteCount segments(std::uint32_t count, const tcpinfo::TcpSample& sample) {
  const auto bytes = std::min(std::uint64_t{count} * sample.mss, std::uint64_t{1} << 62);
  return base::ByteCount{static_cast<std::int64_t>(bytes)};
}

unsigned count(std::span<const tcpinfo::CongestionEvent> events, tcpinfo::EventKind kind) {
  return static_cast<unsigned>(std::ranges::count(events, kind, &tcpinfo::CongestionEvent::kind));
}

base::Duration backlog(const tcpinfo::TcpSample& sample, const server::ViewerState& viewer) {
  if (viewer.rate.bps() <= 0) return {};
  return (viewer.queued + sample.notsent) / viewer.rate;
}

}  // namespace

bool Observer::frame_delivered(const server::SentFrame& frame, const FrameDelivery& delivery) {
  if (last_pts_ && frame.pts > *last_pts_) {
    intervals_[next_interval_++ % intervals_.size()] = frame.pts - *last_pts_;
  }
  last_pts_ = frame.pts;
  if (delivery.source != FrameDelivery::Source::kTimestamp) return true;
  const auto until = [&](std::uint64_t end) {
    return base::ByteCount{static_cast<std::int64_t>(end - frame.begin)};
  };
  const bool full = frames_.size() >= kMaxKeptFrames;
  if (full) frames_.erase(frames_.begin());
  frames_.push_back({.departed = frame.departed,
                     .head_acked = delivery.head,
                     .acked = delivery.at,
                     .head = delivery.head ? until(frame.head_end) : base::ByteCount{},
                     .size = until(frame.marked_end),
                     .end = base::ByteCount{static_cast<std::int64_t>(frame.marked_end)}});
  return !full;
}

/// The shortest of the last three intervals: a longer one is a gap unless it occurs three times.
base::Duration Observer::frame_interval() const {
  return std::clamp(*std::ranges::min_element(intervals_), kMinFrameInterval, kMaxFrameInterval);
}

abr::Observation Observer::observe(std::span<const tcpinfo::CongestionEvent> events, const Tcp& tcp,
                                   const tcpinfo::TcpSample& sample,
                                   const server::ViewerState& viewer) {
  observed_.clear();
  observed_.swap(frames_);
  const base::ByteCount acked{static_cast<std::int64_t>(sample.bytes_acked)};
  const auto outstanding = viewer.sent - sample.notsent - acked;
  const auto gone =
      segments(sample.sacked + sample.lost, sample) - segments(sample.retransmitted, sample);
  const auto lost = segments(sample.lost, sample) - segments(sample.retransmitted, sample);
  return {
      .rexmt = count(events, tcpinfo::EventKind::kRexmt),
      .dupack = count(events, tcpinfo::EventKind::kDupack),
      .frames = observed_,
      .srtt = sample.rtt,
      .min_rtt = sample.min_rtt,
      .queued = viewer.queued,
      .discardable = viewer.discardable,
      .notsent = sample.notsent,
      .in_flight = std::max(base::ByteCount{}, outstanding - gone),
      .lost = std::max(base::ByteCount{}, lost),
      .padding = padding_in_flight(viewer, sample.bytes_acked),
      .delivered = acked + segments(sample.sacked, sample),
      .acknowledged = acked,
      .retransmits = sample.total_retransmits,
      .cwnd = sample.cwnd,
      .ssthresh = tcp.bbr ? std::nullopt : sample.ssthresh,
      .mss = sample.mss,
      .bbr = tcp.bbr,
      .recovering = sample.ca_state >= tcpinfo::CaState::kRecovery,
      .rtt_watched = tcp.rtt_watched,
      .neighbours = tcp.neighbours,
      .receiver_limited = receiver_limited(sample),
      .pacing = tcp.paced ? sample.pacing : base::BitRate{},
      .delivery_rate = sample.delivery_rate,
      .app_limited = sample.app_limited,
      .backlog = backlog(sample, viewer),
      .served = viewer.rate,
      .frame_interval = frame_interval(),
      .frames_per_write = viewer.frames_per_write,
      .transport = wire_.transport(frame_interval()),
  };
}

/// Padding is counted until its last byte is acknowledged, and what the kernel has not taken yet is
/// counted too.
base::ByteCount Observer::padding_in_flight(const server::ViewerState& viewer,
                                            std::uint64_t acked) {
  if (viewer.padding > padding_seen_) {
    newest_padding_ = viewer.padding - std::exchange(padding_seen_, viewer.padding);
    padding_end_ = viewer.sent + viewer.queued;
  }
  return static_cast<std::int64_t>(acked) < padding_end_.bytes() ? newest_padding_
                                                                 : base::ByteCount{};
}

/// Whether the viewer does not read: the receive window has held the kernel back for more than half
/// of the time. The kernel counts that time in jiffies of 4 ms and samples may be close together,
/// so the measurement spans at least half a frame interval.
bool Observer::receiver_limited(const tcpinfo::TcpSample& sample) {
  const auto elapsed = sample.at - limit_checked_;
  if (elapsed < frame_interval() / 2) return receiver_limited_;
  receiver_limited_ = sample.receiver_limited - limited_before_ > elapsed / 2;
  limit_checked_ = sample.at;
  limited_before_ = sample.receiver_limited;
  return receiver_limited_;
}

}  // namespace app
