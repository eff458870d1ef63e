#pragma once

#include <algorithm>
#include <cmath>

#include "abr/ladder/group_policy.h"
#include "abr/ladder/ladder_plan.h"
#include "base/units.h"

namespace ladder_bench {

using base::BitRate;

/// Sums over viewers and time. A viewer in a group that is too fast receives all bits that its link
/// carries, but only a share of the frames: `value` accounts for that, `log_rate` does not.
struct Result {
  double log_rate = 0;  // ln of the bits per second that arrive
  double value = 0;     // abr::value, which subtracts the cost of skipped frames
  double samples = 0;
  double too_fast = 0;  // samples whose group is faster than the viewer sustains
  double skipping = 0;  // samples whose group is faster by more than a tenth
  double moves = 0;
  double forced = 0;  // keyframes
  double groups = 0;  // encoders running, summed over ticks
  double ticks = 0;

  void add(BitRate sustains, BitRate rate) {
    log_rate += std::log(static_cast<double>(std::min(sustains, rate).bps()));
    value += abr::value(sustains, rate);
    too_fast += sustains < rate;
    skipping += !abr::sustains(sustains, rate);
    ++samples;
  }
};

}  // namespace ladder_bench
