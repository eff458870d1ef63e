#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "abr/ladder/rate_histogram.h"
#include "base/units.h"

/// Finds the rates that serve the viewers of a stream best with a limited number of encoders. No
/// I/O, no clock.
///
/// The value of a group of rate r for a viewer that sustains s, in nats:
///
///   value(s, r) = ln r                         if s >= r
///                 ln s - kSkipPenalty ln(r/s)  if s < r: the viewer gets s and skips frames
///
/// By the logarithm, 10 % more is worth the same to everybody (proportional fairness: Kelly 1997).
/// A group's rate is the highest that all its viewers sustain, except for the slowest
/// kLeftBehindShare of them.
namespace abr {

/// With 3, a viewer that gets half of the frames values them at an eighth of their rate: they
/// arrive in runs, because frames are skipped while a backlog drains. The rates hardly depend on
/// this, as kLeftBehindShare bounds them: bench/ladder gives the same with 9.
inline constexpr double kSkipPenalty = 3;
/// With 2 %, rates are 2 to 3 % lower; with 10 %, 1 to 2 % higher, and more viewers skip frames
/// (docs/decisions/0011).
inline constexpr double kLeftBehindShare = 0.05;

double value(base::BitRate sustains, base::BitRate rate);

/// The rate of a group of `members` (at least one), by the rule above.
base::BitRate shared_rate(const RateHistogram& members);

/// One group of a plan.
struct Rung {
  base::BitRate rate;
  base::BitRate lowest;  ///< rate that its slowest viewer sustains
};

/// Rungs by rising rate. A rung's viewers sustain from its `lowest` up to the next rung's.
using Plan = std::vector<Rung>;

const Rung& rung_of(base::BitRate sustains, const Plan& plan);

/// The partition of `viewers` (at least one) into at most `groups` (at least one) with the highest
/// sum of values, or into as few as are worth nearly as much: dynamic programming over bins,
/// O(groups x bins^2). With more than kMaxPlanCells bins, neighbours are merged.
Plan plan_ladder(const RateHistogram& viewers, std::size_t groups);

/// Enough for rates from 300 kbit/s to 7 Mbit/s without merging. A plan with more takes longer (0.3
/// ms with 16 groups, `bench/ladder plan`), one with fewer is less exact. Not measured against
/// other values.
inline constexpr std::size_t kMaxPlanCells = 320;

}  // namespace abr
