#include "abr/policy/train_padding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "abr/rate_policy.h"

namespace abr {

namespace {

using namespace std::chrono_literals;

// Effects of other values: differences of the means over the links of `sim_table --random 1
// --count 100` without cross traffic.

// Segments of a packet train that is made by padding: it is acknowledged four times. Shorter trains
// are less exact, longer ones queue: with 6, p95 is 4 % longer; with 12, it is 10 % longer.
constexpr int kTrainSegments = 8;
// Share of the delivered bytes that padding may cost. 3 % pay for a train every 2 s at 1 Mbit/s and
// every 9 s at 300 kbit/s (30 frames per second). With 1 %, the rate of sim_table's `static`
// returns after 8 s, without padding never; with 6 %, nothing changes.
constexpr double kPaddingShare = 0.03;
// Trains whose padding can be saved up. With 1, rates next to cross traffic are 0.7 % lower; 4
// change nothing.
constexpr int kMaxSavedTrains = 2;
// Time between probes while nothing shows the capacity. With 1 s, p95 is 4 % longer; with 5 s,
// rates return 0.2 s later.
constexpr base::Duration kProbeInterval = 2s;
// Longest time between probes while frames agree with the capacity; the time doubles as long as
// probes show nothing new. A shorter one costs more padding, a longer one leaves a capacity that is
// too low for longer. 8 and 128 s change nothing.
constexpr base::Duration kMaxProbeInterval = 32s;
// Relative change of the capacity that is new. With 0.3, rates return after 1.0 instead of 0.6 s;
// with 0.03, the noise of the measurement costs more padding.
constexpr double kNewCapacityChange = 0.1;

}  // namespace

void TrainPadding::earn(const Observation& o) {
  const auto delivered = o.delivered - std::exchange(delivered_, o.delivered);
  if (delivered.bytes() <= 0) return;  // a wrong count was corrected
  const base::ByteCount earned{
      static_cast<std::int64_t>(kPaddingShare * static_cast<double>(delivered.bytes()))};
  earned_ = std::min(earned_ + earned,
                     base::ByteCount{std::int64_t{kMaxSavedTrains * kTrainSegments} * o.mss});
}

base::ByteCount TrainPadding::spend(const Observation& o, const PathState& path, base::BitRate rate,
                                    base::Time now) {
  if (path.capacity_recent && path.upper_bound_recent) return {};
  if (o.recovering || now < probed_at_ + (path.capacity_recent ? wait_ : kProbeInterval)) return {};
  // The newest frame may have been encoded at a higher rate than the next one will be.
  const auto next = std::min(path.frame_size, o.transport.wire(rate) * o.frame_interval);
  const auto missing = base::ByteCount{std::int64_t{kTrainSegments} * o.mss} - next;
  if (missing.bytes() <= 0 || missing > std::min(earned_, kMaxPadding)) return {};
  earned_ -= missing;
  note_probe(path.capacity, now);
  return missing;
}

/// If frames agree with the capacity and the last probe has shown nothing new, the next probe can
/// wait.
void TrainPadding::note_probe(base::BitRate capacity, base::Time now) {
  const bool changed = std::abs(capacity / probed_ - 1) > kNewCapacityChange;
  wait_ = changed ? kProbeInterval : std::min(2 * wait_, kMaxProbeInterval);
  probed_ = capacity;
  probed_at_ = now;
}

}  // namespace abr
