#include "abr/path/cross_traffic.h"

#include <algorithm>

#include "abr/tuning.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the links of `sim_table --random 1
// --count 100 --policy symbiosis`, or over the scenarios of sim_table that are named.

// Seconds. A wait that is longer than our own data explains by this needs another cause: the wait
// that shows a queue. With 0.015, p95 on links without cross traffic is 6 % longer, because jitter
// passes for cross traffic; with 0.05, the rate of `beside` is a quarter lower.
constexpr double kUnexplainedWait = kQueuedWait;
// Evidence for or against cross traffic is believed after this long. With 150 ms, p99 of `beside`
// is 4 % longer, because bursts pass for cross traffic; with 600 ms its rate is 1.6 % lower.
constexpr base::Duration kEvidenceTime = 300ms;
// A queue that stands for this long, though the path could drain it, is not ours. A mobile link's
// own queue may stand for a shorter time: with 300 ms, p99 of `mobile` is 5 % longer. With 1.2 s,
// cross traffic is found later, which changes no mean by 1 %.
constexpr base::Duration kStandingQueueTime = 600ms;
// Arrivals that show others' queue are believed after this long, and those that show ours. With 0
// or 300 ms for others, mean shares of viewers with CUBIC beside one flow of CUBIC are 1 % lower
// (`sim_family --beside`, seeds 11 to 13). With 150 ms for ours, shares beside one flow of CUBIC
// are 1 to 1.5 % lower (seeds 11 to 15); 800 ms changes nothing.
constexpr base::Duration kOthersArrivalsTime = 150ms;
constexpr base::Duration kOwnArrivalsTime = 400ms;
// Cross traffic is gone when its queue has been gone for this long: BBR's PROBE_RTT lasts for 200
// ms, and then its queue has to build up again. With 300 ms, `beside` has 14 % less rate; with 1.5
// s, rates next to cross traffic are 0.7 % lower.
constexpr base::Duration kAbsenceTime = 700ms;
// Share of its longest wait that a standing queue still has. One that has drained further is our
// own, and the capacity only seems higher than it is. With 0, p95 of `fade200` is 37 % longer; with
// 0.9, rates next to cross traffic change by less than 1 %.
constexpr double kStandingShare = 0.8;
// A gap this long between samples ends all streaks, because the last sample may be out of date; but
// not those of arrivals, which tell most after a pause.
// Shorter ends them when few frames are sampled (telemetry.ack_timestamps_per_second), longer joins
// samples of different queues. 0.5 and 2 s change no delay by 3 % and no rate by 1 %, because every
// frame is sampled there.
constexpr base::Duration kMaxSampleGap = 1s;
// Frames of a streak at least, for times when few frames are sampled. With fewer, two frames far
// apart are evidence; with more, cross traffic is found late when every tenth frame is sampled. 2
// and 6 change nothing where every frame is sampled.
constexpr int kMinStreakFrames = 3;
// Seconds. A shorter wait is no queue. A larger value calls short queues empty, a smaller one calls
// jitter a queue, so that cross traffic never seems to end. With 4 ms, rates next to cross traffic
// are 0.9 % lower; 16 ms changes nothing.
constexpr double kEmptyQueueWait = kUnexplainedWait / 3;
// Share of a wait that our own data has to explain for nobody else to be needed. A smaller share
// ends cross traffic while others still fill part of the queue, a larger one keeps it while our
// frames fill all of it; 0.5 and 0.9 change no mean by 1 %.
constexpr double kOwnShare = 0.7;
// Seconds. A queue that grows by this much while we take our share grows because of us (tests/sim:
// a fall of the capacity to a fifth looks like cross traffic for its first tenths of a second).
// With 0.08, rates next to cross traffic are 0.7 % lower; a larger value lets us fill a queue of
// our own.
constexpr double kRefutingGrowth = 0.15;
// After that, cross traffic is not assumed for this long: until the queue has drained. Longer loses
// the share next to real cross traffic, shorter finds the same queue again; 1 and 10 s change no
// mean of the rate by 1 %.
constexpr base::Duration kRefutedTime = 3s;

}  // namespace

void CrossTraffic::Streak::add(base::Time at) {
  if (frames++ == 0) first = at;
  last = at;
}

bool CrossTraffic::Streak::lasts(base::Duration time) const {
  return frames >= kMinStreakFrames && last - first >= time;
}

void CrossTraffic::add(const Wait& wait) {
  if (wait.acked - newest_ > kMaxSampleGap) unexplained_ = own_ = own_or_empty_ = queued_ = {};
  newest_ = wait.acked;
  add_arrivals(wait);
  const bool outlasts = outlasts_own_data(wait);
  const bool queued = wait.total >= kEmptyQueueWait;
  if (own_arrivals_.lasts(kOwnArrivalsTime)) {
    present_ = false;
    unexplained_ = queued_ = {};
  } else if (!queued || (present_ && wait.self_induced > kOwnShare * wait.total)) {
    add_own(wait.acked, queued);
  } else {
    add_cross_traffic(wait, outlasts);
  }
}

void CrossTraffic::add_arrivals(const Wait& wait) {
  const auto add = [&](Streak& streak, ArrivalSpacing::Queue queue) {
    if (wait.arrivals == queue) {
      streak.add(wait.acked);
    } else {
      streak = {};
    }
  };
  add(others_arrivals_, ArrivalSpacing::Queue::kOthers);
  add(own_arrivals_, ArrivalSpacing::Queue::kOurs);
}

/// A queue is not ours if the path had the time to drain it besides carrying what arrived.
bool CrossTraffic::outlasts_own_data(const Wait& wait) {
  if (wait.total < kUnexplainedWait || !wait.spare) {
    queued_ = {};
    return false;
  }
  if (queued_.frames == 0) {
    longest_queue_ = spare_ = 0;
  } else {
    spare_ += *wait.spare;
  }
  queued_.add(wait.acked);
  longest_queue_ = std::max(longest_queue_, wait.total);
  return queued_.lasts(kStandingQueueTime) && spare_ > longest_queue_ + kUnexplainedWait &&
         wait.total > kStandingShare * longest_queue_;
}

void CrossTraffic::add_own(base::Time at, bool queued) {
  unexplained_ = {};
  own_or_empty_.add(at);
  if (queued) {
    own_.add(at);
  } else {
    own_ = {};
  }
  if (own_or_empty_.lasts(kAbsenceTime) || own_.lasts(kEvidenceTime)) present_ = false;
}

void CrossTraffic::add_cross_traffic(const Wait& wait, bool outlasts) {
  own_ = own_or_empty_ = {};
  if (wait.total - wait.own < kUnexplainedWait) {
    unexplained_ = {};
  } else {
    unexplained_.add(wait.acked);
  }
  if (present_ && wait.neighbours && wait.total > wait_when_found_ + kRefutingGrowth) {
    present_ = false;
    unexplained_ = queued_ = {};
    not_found_before_ = wait.acked + kRefutedTime;
  }
  const bool found =
      outlasts || unexplained_.lasts(kEvidenceTime) || others_arrivals_.lasts(kOthersArrivalsTime);
  if (present_ || !found || wait.acked < not_found_before_) return;
  present_ = true;
  wait_when_found_ = wait.total;
}

}  // namespace abr
