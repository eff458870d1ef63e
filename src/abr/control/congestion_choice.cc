#include "abr/control/congestion_choice.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace abr {

namespace {

using namespace std::chrono_literals;

// The mean QoE_log over the links of `sim_family --tuning --count 400 --policy symbiosis
// --congestion-control auto` is 2.516 (BBR 2.510). The other values named here change it by at most
// 0.005: few links need a change at all.

// The time that is looked at, for BBR (1 s, 5 s) and for CUBIC.
constexpr base::Duration kBbrWindow = 2s;
constexpr base::Duration kCubicWindow = 5s;
// Share of that time in which pacing hides the path (0.2, 0.7). Trains agree now and then by
// chance.
constexpr double kHiddenShare = 0.4;
// BBR remembers the bandwidth for this many round trips (bbr_bw_rtts in Linux), and forgets what
// frames show if there are fewer of them in that time (8: QoE_log is 0.002 lower; any number:
// 0.004, because loss of BBR's bandwidth after a real fall looks the same).
constexpr int kBbrMemory = 10;
constexpr int kFewFrames = 4;
// Delivered segments for each lost one that count as no loss (100).
constexpr std::uint64_t kRareLoss = 1000;
// Losses without a queue that make BBR the better choice (1, 20).
constexpr std::uint64_t kCalmLosses = 3;
// Share of the time in which others are on the path that takes CUBIC back to BBR, which holds its
// rate beside them (never: 0.001 lower).
constexpr double kSharedShare = 0.5;
// The smoothed RTT may exceed the base RTT by this much, or by a quarter, without a queue.
constexpr base::Duration kRttSlack = 20ms;
// After a connection begins, slow start shows little.
constexpr base::Duration kStart = 3s;
constexpr base::Duration kLongestPause = 320s;

bool has_queue(const Observation& o, const PathState& path) {
  return o.srtt > path.round_trip + std::max(kRttSlack, path.round_trip / 4);
}

}  // namespace

std::optional<CongestionControl> CongestionChoice::update(const Observation& o,
                                                          const PathState& path, base::Time now) {
  if (!last_) {
    window_.begin = now;
    not_before_ = now + kStart;
  }
  add(o, path, now);
  if (now - window_.begin < (o.bbr ? kBbrWindow : kCubicWindow)) return {};
  const bool changes = should_change(o, now);
  window_ = {.begin = now};
  if (!changes) return {};
  left_bbr_ = o.bbr;
  not_before_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongestPause);
  return o.bbr ? CongestionControl::kCubic : CongestionControl::kBbr;
}

bool CongestionChoice::should_change(const Observation& o, base::Time now) const {
  const bool shares = base::seconds(window_.shared) > kSharedShare * base::seconds(kCubicWindow);
  if (!o.bbr && left_bbr_ && shares) return true;
  return now >= not_before_ && (o.bbr ? pacing_hides_path(o) : window_.lost_calmly >= kCalmLosses);
}

void CongestionChoice::add(const Observation& o, const PathState& path, base::Time now) {
  const auto since = now - std::exchange(last_, now).value_or(now);
  const bool forgets = kBbrMemory * path.round_trip < kFewFrames * o.frame_interval;
  const bool hidden = forgets && !path.cross_traffic && !path.trains_agree && o.pacing.bps() > 0 &&
                      o.pacing < path.highest;
  if (hidden) window_.hidden += since;
  if (path.cross_traffic) window_.shared += since;
  const auto lost = o.retransmits - std::exchange(retransmits_, o.retransmits);
  window_.lost += lost;
  if (!has_queue(o, path)) window_.lost_calmly += lost;
  window_.delivered += static_cast<std::uint64_t>((o.delivered - delivered_).bytes());
  delivered_ = o.delivered;
}

bool CongestionChoice::pacing_hides_path(const Observation& o) const {
  const bool lossless = window_.lost * kRareLoss * o.mss <= window_.delivered;
  return lossless && base::seconds(window_.hidden) > kHiddenShare * base::seconds(kBbrWindow);
}

}  // namespace abr
