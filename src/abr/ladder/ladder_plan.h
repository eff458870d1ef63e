#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "abr/ladder/rate_histogram.h"
#include "base/units.h"

/// Which rates serve the viewers of a stream best, when there may be so many encoders. Pure.
///
/// What a viewer who sustains s has from a group of rate r, in nats:
///
///   value(s, r) = ln r                  where s >= r
///                 ln s - kSkip ln(r/s)  where s < r: he gets s, and skips frames for it
///
/// A logarithm, so that a tenth more is worth the same to everybody (proportional fairness: Kelly
/// 1997). The rate of a group is what all its viewers sustain but for kBehind of them, the slowest.
namespace abr {

/// Who gets half of the frames has an eighth of them by this: they come in runs, for each that is
/// left out lets a backlog drain. Rates do not hang on it, for kBehind bounds them: with 9
/// bench/ladder gives the same.
inline constexpr double kSkip = 3;
/// With 2 % rates are 2 to 3 % lower, with 10 % 1 to 2 % higher, and more viewers skip frames
/// (docs/decisions/0011).
inline constexpr double kBehind = 0.05;

double value(base::BitRate sustains, base::BitRate rate);

/// The rate of a group of `members` (at least one), by the rule above.
base::BitRate shared_rate(const RateHistogram& members);

/// One group of a plan.
struct Rung {
  base::BitRate rate;
  base::BitRate lowest;  ///< what its slowest viewer sustains
};

/// By rising rate; the viewers of a rung are those from its `lowest` up to the next one's.
using Plan = std::vector<Rung>;

const Rung& rung_of(base::BitRate sustains, const Plan& plan);

/// The partition of `viewers` (at least one) into at most `groups` (at least one) that has the
/// highest sum of values: dynamic programming over bins, O(groups x bins^2). Beyond kMaxCells bins
/// neighbours count as one.
Plan plan_ladder(const RateHistogram& viewers, std::size_t groups);
inline constexpr std::size_t kMaxCells = 320;

}  // namespace abr
