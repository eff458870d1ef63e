#include "abr/policy/window_control.h"

#include <algorithm>
#include <limits>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the links of `sim_table --random 1
// --count 100` without cross traffic, unless cross traffic or a `scenario` is named.

// The smoothed RTT may exceed the base RTT by this much, and a frame's own time on the path,
// without a queue in the path. Smaller takes jitter for a queue and leaves the window too small,
// larger enlarges the window while there is a queue; 10 and 40 ms change no mean by 2 %.
constexpr base::Duration kRttSlack = 20ms;
// After a fall with a queue in the path, the window is left to TCP for this long. Shorter enlarges
// it into the queue that TCP has just made room for, longer leaves it too small; 0.3 and 3 s change
// no mean by 1 %.
constexpr base::Duration kQueueMemory = 1s;
// The window is enlarged to the capacity if that is this many times the rate. With 1.0, windows are
// set for nothing and rates are 0.7 % higher; with 1.5, rates are 0.4 % lower.
constexpr double kMinSpareRatio = 1.2;
// The window is this many times the data in flight and the newest frame. With 1.0, p95 of `steps`
// is 6 % longer and the rate of `beside` 5 % lower; with 1.6, p99 of `own` is 5 % longer.
constexpr double kWindowRoom = 1.25;
// Next to cross traffic the window is set when it is less than this share of what it should be.
// With 0.5, 35 instead of 16 of 180 runs beside long flows have less than 75 % of their fair share
// (`sim_family --beside --policy symbiosis`, seeds 11 to 15, BBR); 1 changes nothing.
constexpr double kNearShare = 0.9;
// BBR holds four segments for 200 ms and a round trip (PROBE_RTT) when it has seen no lower RTT for
// 10 s (tcp_bbr.c, bbr_update_min_rtt()). The other 3 s are for finding a moment when nothing
// waits: with 9.5 s, p95 next to cross traffic is 6 % longer. Without renewals p99 is 57 % longer,
// and p95 of `steps` is doubled.
constexpr base::Duration kRenewalInterval = 7s;

/// How much the smoothed RTT exceeds the base RTT without a queue: a frame's last segment arrives
/// after its others.
base::Duration rtt_slack(const PathState& path) {
  return kRttSlack + (path.capacity.bps() > 0 ? path.frame_size / path.capacity : base::Duration{});
}

/// Segments for the data in flight and one frame, at that rate on the wire.
double segments(base::BitRate wire, const Observation& o) {
  return static_cast<double>((wire * (o.srtt + o.frame_interval)).bytes()) / o.mss;
}

/// Segments for the data in flight and one frame, at that rate of video, with room to spare. 0 if
/// their size is not known yet.
std::uint32_t window_for(base::BitRate video, const Observation& o) {
  if (o.mss == 0) return 0;
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  const double needed = kWindowRoom * segments(o.transport.wire(video), o);
  return static_cast<std::uint32_t>(std::min(kMost, needed));
}

}  // namespace

void WindowControl::note_fall(const Observation& o, const PathState& path, base::Time now) {
  if (o.srtt > path.round_trip + rtt_slack(path)) congested_at_ = now;
}

std::uint32_t WindowControl::next(const Observation& o, const PathState& path, const Demand& demand,
                                  base::Time now) {
  const double fair = fair_window_.next(o, path, demand.share, now);
  // BBR's window is twice the data that the path holds without a queue: enough for a queue that is
  // as long as the path.
  const bool falls_behind = !o.bbr || path.queue > path.round_trip;
  if (fair > 0 && falls_behind) return share(o, demand, fair, now);
  return o.bbr ? renew(o, path, demand, now) : enlarge(o, path, demand, now);
}

std::uint32_t WindowControl::share(const Observation& o, const Demand& demand, double fair,
                                   base::Time now) {
  const double needed = std::min(fair, segments(kBlindStep * o.transport.wire(demand.rate), o));
  if (o.recovering || o.cwnd >= kNearShare * needed || now < set_again_at_) return 0;
  set_again_at_ = now + o.srtt;
  return window_ = static_cast<std::uint32_t>(needed);
}

std::uint32_t WindowControl::enlarge(const Observation& o, const PathState& path,
                                     const Demand& demand, base::Time now) {
  if (!o.ssthresh || o.recovering || path.cross_traffic || path.drain_rate.bps() > 0 ||
      o.srtt > path.round_trip + rtt_slack(path) || now < congested_at_ + kQueueMemory) {
    return 0;
  }
  base::BitRate video;
  if (path.capacity >= kMinSpareRatio * o.transport.wire(demand.rate)) {
    video = o.transport.video(kHeadroom * path.capacity);
  }
  if (demand.leaps && demand.quiet) video = std::max(video, kVerifiedStep * demand.rate);
  const auto needed = window_for(std::min(demand.ceiling, video), o);
  if (o.cwnd >= needed || (now < set_again_at_ && needed <= window_)) return 0;
  set_again_at_ = now + o.srtt;
  return window_ = needed;
}

std::uint32_t WindowControl::renew(const Observation& o, const PathState& path,
                                   const Demand& demand, base::Time now) {
  if (renew_at_ == base::Time{}) renew_at_ = now + kRenewalInterval;
  // Without data in flight BBR renews its minimum RTT by itself.
  if (now < renew_at_ || o.recovering || o.in_flight.bytes() == 0) return 0;
  const bool calm = demand.quiet && o.srtt <= o.min_rtt + rtt_slack(path);
  // A longer RTT that cross traffic does not explain may be a longer path: BBR has to measure it.
  if (!calm && !path.cross_traffic) return 0;
  renew_at_ = now + kRenewalInterval;
  return std::max(o.cwnd, window_for(demand.rate, o));
}

}  // namespace abr
