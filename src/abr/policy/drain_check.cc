#include "abr/policy/drain_check.h"

#include <algorithm>
#include <chrono>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over those links of `sim_table --random 2001
// --count 600 --policy symbiosis` (*: `--random 1 --count 100 --seeds 1`) that have cross traffic,
// or of `beside`; and on how many of 300 links a queue of our own stands for long (SIM_LINKS=300
// sim_property_test: on 10 when most of these were compared, now on 3, on 18 without checks).
// "Nothing" is less than 3 % of a delay and 1 % of a rate.

// The first check comes this long after cross traffic was found. With 10 s, p95 is 5 % longer, and
// the queue stands on 13 links; with 2 s, and twice the pause after each check, the rate is 1 %
// lower.
constexpr base::Duration kFirstPause = 3s;
// Each check that finds others multiplies the pause by this, up to the longest. A smaller growth
// checks more often next to lasting cross traffic: with 2, p95 of `beside` is 18 % longer*. A
// larger one finds later that it has gone: with 6, rates are 1.5 % lower*. With a longest pause of
// 20 s, p99 of `beside` is 4 % longer*; 180 s changes nothing there*, because no scenario is that
// long.
constexpr int kPauseGrowth = 3;
constexpr base::Duration kLongestPause = 60s;
// A check begins at once when the queue has grown by this since the last one, and by this factor:
// it may be our rate that makes it grow, unless frames arrive as from others' queue. Without that
// exception, 6 instead of 4 of 36 links have less than 90 % of their fair share (`sim_family
// --beside`, medians of the seeds 11 to 16, BBR). With 0.15 and 1.5, the mean share beside one flow
// of CUBIC (`sim_family --beside`) is 83 instead of 81 %, and a queue of our own stands on 11 links
// instead of 10.
constexpr double kGrowth = 0.08;  // seconds
constexpr double kGrowthFactor = 1.3;
// But not so soon after a check: a newcomer fills a deep queue for seconds. Without this, the mean
// share beside four flows of CUBIC is 1.4 % lower (`sim_family --beside`, seeds 11 to 15, CUBIC).
constexpr base::Duration kGrowthPause = 3s;
// If more than half of the queue has gone, and this much has come again while we send less, it is
// not ours. With 0.2, shares beside one flow of CUBIC (`sim_family --beside`) are 1 % lower.
constexpr double kRefill = 0.1;  // seconds
// Others are there if deliveries have fallen by more than this share of the fall of our rate. With
// 0.25 a queue of our own stands on 5 links, with 0.75 on 8, which is what it is with 0.5.
constexpr double kFollowing = 0.5;
// Deliveries are measured over this time. With 0.2 s a queue of our own stands on 14 links instead
// of 8; with 0.8 s, 18 instead of 16 of 180 runs beside long flows have less than 75 % of their
// fair share (`sim_family --beside`, seeds 11 to 15).
constexpr base::Duration kDeliverySpan = 400ms;
// Lengths of a check that the next pause has at least: a deep queue takes long to drain. With 4,
// checks may take more of the time, which changes nothing*; with 16, the rate of `beside` is 1.3 %
// lower*.
constexpr int kMinPauses = 8;
// A check takes this from our rate, times queue / (queue + base RTT). An equal flow beside us goes
// on as before, so the queue loses only what we have less on the way, and a quarter of it at most.
// With 0.25 the queue stands on 13 links; with 0.8, p95 of `beside-bbr-bbr` is 68 % longer.
constexpr double kDepth = 0.5;
// A queue that is short for the path would drain for seconds at less. More would take rate for
// nothing. 0.02 and 0.15 change no delay by 3 % and no rate by 1 %*.
constexpr double kMinDepth = 0.05;
// A queue of our own has drained after this many times the time that it should take. With 1, checks
// end before it has, and rates are 3 % lower and p95 11 % longer*; with 2.5, checks last longer,
// and p95 of `beside` is 8 % longer*.
constexpr double kSlack = 1.5;
// After the queue has drained, the check goes on for this long at most: cross traffic ends when
// nothing has waited for 700 ms (CrossTraffic). A shorter time may end the check before that: with
// 0.5 s, rates are 0.8 % lower*. A longer one holds the rate down beside traffic that comes back; 2
// s changes nothing*.
constexpr base::Duration kAbsence = 1s;

}  // namespace

base::BitRate DrainCheck::allowed(const Observation& o, const PathState& path, base::BitRate rate,
                                  base::Time now) {
  const auto queue = base::seconds(path.queue);
  if (pause_ == base::Duration{}) {
    pause_ = kFirstPause;
    next_ = now + pause_;
    queue_ = queue;
  }
  const bool may_be_ours = o.neighbours == 0 && !path.others_seen;
  if (!runs() && is_due(queue, may_be_ours, now)) begin(o, path, rate, now);
  shortest_ = std::min(shortest_, queue);
  regained_ = {};
  if (runs() && shows_others(o, queue, now)) {
    // The rate before may have been more than the path ever carried.
    regained_ = std::min(before_, kBlindStep * o.transport.video(carried_before(o, now)));
  }
  if (runs() && (regained_.bps() > 0 || is_over(queue, now))) {
    most_ = {};
    ended_ = now;
  }
  return runs() ? std::min(rate, most_) : rate;
}

bool DrainCheck::is_due(double queue, bool may_be_ours, base::Time now) const {
  const bool grew =
      now >= ended_ + kGrowthPause && queue > std::max(queue_ + kGrowth, kGrowthFactor * queue_);
  return now >= next_ || (grew && may_be_ours);
}

void DrainCheck::begin(const Observation& o, const PathState& path, base::BitRate rate,
                       base::Time now) {
  const auto queue = base::seconds(path.queue);
  const auto round_trip = base::seconds(path.round_trip);
  const auto depth = std::max(kMinDepth, kDepth * queue / (queue + round_trip));
  const auto length =
      base::from_seconds(kSlack * queue / depth + queue + round_trip) + 2 * o.frame_interval;
  queue_ = shortest_ = queue;
  before_ = rate;
  began_ = {now, o.delivered};
  arrived_.reset();
  arrives_at_ = now + o.srtt + 2 * o.frame_interval;
  most_ = (1 - depth) * std::min(rate, o.transport.video(path.capacity));
  kept_ = o.transport.wire(most_) / o.transport.wire(rate);
  drained_at_ = now + length;
  pause_ = std::max(std::min(kPauseGrowth * pause_, kLongestPause), kMinPauses * length);
  next_ = drained_at_ + pause_;
}

base::BitRate DrainCheck::Delivery::until(const Delivery& later) const {
  return base::BitRate::of(later.bytes - bytes, later.at - at);
}

/// The queue is filled again; or less arrives because we send less, although data waits. A
/// retransmission begins the measurement again: during a recovery, TCP sends less than it has.
bool DrainCheck::shows_others(const Observation& o, double queue, base::Time now) {
  if (shortest_ < queue_ / 2) return queue > shortest_ + kRefill;
  const Delivery newest{now, o.delivered};
  if (now < arrives_at_) return false;
  if (!arrived_ || o.retransmits != retransmits_) arrived_ = newest;
  retransmits_ = o.retransmits;
  if (now < arrived_->at + kDeliverySpan) return false;
  const auto before = began_.until(*arrived_);
  return arrived_->until(newest) < (kept_ + kFollowing * (1 - kept_)) * before;
}

/// The rate on the wire at which data arrived that was sent before the check.
base::BitRate DrainCheck::carried_before(const Observation& o, base::Time now) const {
  return began_.until(arrived_.value_or(Delivery{now, o.delivered}));
}

bool DrainCheck::is_over(double queue, base::Time now) const {
  const bool short_now = shortest_ < queue_ / 2;
  if (now < drained_at_) return false;
  if (now > drained_at_ + kAbsence) return true;
  return !short_now && queue > base::seconds(kStillWait);
}

}  // namespace abr
