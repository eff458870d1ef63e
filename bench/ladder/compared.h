#pragma once

#include <cstddef>
#include <vector>

#include "population.h"
#include "result.h"

/// What a population gets from each kind of ladder in `time`, after kWarmUp.
namespace ladder_bench {

/// With the server's own ladder.
Result living(const Population& population, int groups, base::Duration time, unsigned seed);

/// Who sustains a step takes it, as a viewer of the living ladder does: down at 0.9, up by 1.1
/// after 3 s; but he waits for no keyframe. `free`: the best step at any moment, at once.
Result fixed(const Population& population, const std::vector<BitRate>& steps, bool free,
             base::Duration time, unsigned seed);

/// The server's plan of every second, with every viewer on his rung at once: the living ladder
/// without its dwell, its worth and its keyframes. Not the best that so many groups can do: a plan
/// leaves only kLeftBehindShare of a group behind, and is a second old at most.
Result planned(const Population& population, std::size_t groups, base::Duration time,
               unsigned seed);

/// With each viewer's own rate.
Result own_rates(const Population& population, base::Duration time, unsigned seed);

/// Steps of equal ratio from the 2nd to the 98th percentile of what will be sustained: no operator
/// could know them.
std::vector<BitRate> percentile_ladder(const Population& population, int steps, base::Duration time,
                                       unsigned seed);

}  // namespace ladder_bench
