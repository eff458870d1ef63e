#include "abr/policy/pacing_control.h"

#include <algorithm>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the links of `sim_table --random 1
// --count 100` without cross traffic, unless a `scenario` is named.

// Pacing is this many times the capacity, or the viewer's rate if that is higher: a frame leaves
// within half a frame interval, and TCP's own pacing (1.2-2 x cwnd/RTT) does not hide the path's
// rate. With 1.5, `beside` has a third less rate; with 4, p95 of `own` is 9 % longer.
constexpr double kPacingFactor = 2.5;
// The factor after a loss: the queue is full, or short. With 1.1, rates are 3 % lower (5 % on links
// with random loss); with 2.5, p95 is 7 % longer.
constexpr double kLossyPacingFactor = 1.5;
// Pacing without losses is at least this fast, so that slow paths show a rise of their capacity.
// With 3 Mbit/s, p95 of `steps` is 5 % longer; with 30 Mbit/s, p95 of `own` is 18 % longer.
constexpr auto kMinPacing = base::BitRate::mbps(10);
// Share of a short queue's room that frames fill. With 0.6, on the worst of 100 links
// of `sim_family --tuning --short-queues --count 300`, 11 and 20 segments of 1000 are sent again
// instead of 9 (CUBIC) and 15 (BBR); with 0.95, 11 and 22.
constexpr double kUsedRoom = 0.8;
// Least pace into a short queue, in capacities. With 1.2: 12 and 22. With 1.03: 9 and 17,
// and trains show a rise of the capacity in smaller steps.
constexpr double kLeastShortQueueFactor = 1.1;

}  // namespace

base::BitRate PacingControl::next(const Observation& o, const PathState& path, base::BitRate rate,
                                  base::Time now) {
  const auto highest = std::max(path.capacity, o.transport.wire(rate));
  const auto usual = pace(o, path, highest, now);
  const auto frames =
      std::max(o.transport.wire(rate), base::BitRate::of(path.frame_size, o.frame_interval));
  const double held =
      kUsedRoom * (base::BitRate::of(path.queue_room, o.frame_interval) / frames);  // of a frame
  if (held == 0 || held >= 1 || path.cross_traffic) return usual;
  const auto carried = path.capacity_recent ? highest : o.transport.wire(rate);
  return std::min(usual, std::max(kLeastShortQueueFactor, 1 / (1 - held)) * carried);
}

base::BitRate PacingControl::pace(const Observation& o, const PathState& path,
                                  base::BitRate highest, base::Time now) {
  if (o.dupack > 0) lost_at_ = now;
  const bool lossy = now < lost_at_ + kLossMemory;
  if (lossy && path.cross_traffic) return std::max(path.highest, highest);
  // After an outage the capacity is not known, and all that was lost has to be sent again.
  if (lossy && path.capacity_recent) return kLossyPacingFactor * highest;
  return std::max(kMinPacing, kPacingFactor * highest);
}

}  // namespace abr
