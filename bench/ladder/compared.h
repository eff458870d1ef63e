#pragma once

#include <cstddef>
#include <vector>

#include "population.h"
#include "result.h"

/// Results of a population with each kind of ladder over `time`, after kWarmUp.
namespace ladder_bench {

/// The server's own ladder.
Result living(const Population& population, int groups, base::Duration time, unsigned seed);

/// Fixed steps. Viewers change as in the living ladder, down at 0.9 and up by 1.1 after 3 s, but do
/// not wait for a keyframe. With `free` each viewer has the best step at any moment.
Result fixed(const Population& population, const std::vector<BitRate>& steps, bool free,
             base::Duration time, unsigned seed);

/// The server's plan of every second, with every viewer on their rung at once: the living ladder
/// without its dwell, its worth and its keyframes. Not the best for that number of groups: a plan
/// leaves only kLeftBehindShare of a group behind, and is a second old at most.
Result planned(const Population& population, std::size_t groups, base::Duration time,
               unsigned seed);

/// Each viewer has their own rate.
Result own_rates(const Population& population, base::Duration time, unsigned seed);

/// Steps of equal ratio from the 2nd to the 98th percentile of the rates that viewers will sustain,
/// which no operator could know.
std::vector<BitRate> percentile_ladder(const Population& population, int steps, base::Duration time,
                                       unsigned seed);

}  // namespace ladder_bench
