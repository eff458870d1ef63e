#include "abr/policy/drain_check.h"

#include <algorithm>
#include <chrono>

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over those links of `sim_table --random 2001
// --count 600 --policy symbiosis` that have cross traffic, or of `beside`; and on how many of 300
// links a queue of our own stands for long (SIM_LINKS=300 sim_property_test: on 9, on 18 without
// checks).

// The first check comes this long after cross traffic was found. With 10 s, p95 is 5 % longer, and
// the queue stands on 13 links; with 2 s, and twice the pause after each check, the rate is 1 %
// lower.
constexpr base::Duration kFirstPause = 3s;
// Each check that finds others multiplies the pause by this, up to the longest.
constexpr int kPauseGrowth = 3;
constexpr base::Duration kLongestPause = 60s;
// Lengths of a check that the next pause has at least: a deep queue takes long to drain.
constexpr int kMinPauses = 8;
// A check takes this from our rate, times queue / (queue + base RTT). An equal flow beside us goes
// on as before, so the queue loses only what we have less on the way, and a quarter of it at most.
// With 0.25 the queue stands on 13 links; with 0.8, p95 of `beside-bbr-bbr` is 68 % longer.
constexpr double kDepth = 0.5;
// A queue that is short for the path would drain for seconds at less.
constexpr double kMinDepth = 0.05;
// A queue of our own has drained after this many times the time that it should take.
constexpr double kSlack = 1.5;
// A shorter wait is no queue. The check then goes on for this long at most: cross traffic ends when
// nothing has waited for 700 ms (CrossTraffic).
constexpr base::Duration kDrained = 15ms;
constexpr base::Duration kAbsence = 1s;

}  // namespace

base::BitRate DrainCheck::allowed(const Observation& o, const PathState& path, base::BitRate rate,
                                  base::Time now) {
  if (pause_ == base::Duration{}) {
    pause_ = kFirstPause;
    next_ = now + pause_;
  }
  if (!runs() && now >= next_) begin(o, path, rate, now);
  if (runs() && is_over(path, now)) most_ = {};
  return runs() ? std::min(rate, most_) : rate;
}

void DrainCheck::begin(const Observation& o, const PathState& path, base::BitRate rate,
                       base::Time now) {
  const auto queue = base::seconds(path.queueing_delay);
  const auto round_trip = base::seconds(path.round_trip);
  const auto depth = std::max(kMinDepth, kDepth * queue / (queue + round_trip));
  const auto length =
      base::from_seconds(kSlack * queue / depth + queue + round_trip) + 2 * o.frame_interval;
  most_ = (1 - depth) * std::min(rate, o.transport.video(path.capacity));
  drained_at_ = now + length;
  pause_ = std::max(std::min(kPauseGrowth * pause_, kLongestPause), kMinPauses * length);
  next_ = drained_at_ + pause_;
}

bool DrainCheck::is_over(const PathState& path, base::Time now) const {
  if (now < drained_at_) return false;
  return path.queueing_delay > kDrained || now > drained_at_ + kAbsence;
}

}  // namespace abr
