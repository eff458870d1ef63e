#include "abr/ladder/group_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "abr/ladder/assignment.h"
#include "abr/tuning.h"

namespace abr {

namespace {

// A viewer that sustains less than this share of their group's rate cannot keep up. A viewer
// sustains kHeadroom of their path's capacity, so this is the point where the path itself is too
// slow. With 0.95, rates are 5 to 8 % lower (bench/ladder).
constexpr double kSustainedShare = kHeadroom;
// A move up needs a group that is this many times faster, because every viewer in it gets a
// keyframe. With 1.3, groups closer than that are useless, and 8 groups give 3 % less rate
// (bench/ladder).
constexpr double kMinRateGain = 1.1;
// In a crowd a viewer gets a group of their own if that is this many times faster than one that
// they could share. A smaller factor opens more groups for single viewers, which come and go with
// what these sustain, and cost an encoder each; a larger one makes viewers share whose rates differ
// more. 16 groups this far apart span a factor of 28. Not measured against other values.
constexpr double kOwnGroupGain = 1.25;
// A move up waits this long after the last move, so that viewers do not flap. With 1 s, rates are 2
// % higher and moves 10 to 16 % more; with 6 s, 3 to 4 % lower and 13 to 24 % fewer (bench/ladder).
constexpr base::Duration kMoveDwell = std::chrono::seconds{3};
// A new plan must raise the mean value by this many nats: a rate 1 % higher for every viewer. With
// 5 %, a ladder stays where no viewer's own move helps, 8 % of rate below the best (bench/ladder).
constexpr double kMinPlanGain = 0.01;
// Share of a rate that one viewer's collapse may cost another. A larger share lets plans serve the
// collapsed viewer sooner, a smaller one rejects plans that hardly cost anybody. Not measured
// against other values.
constexpr double kMaxRateLoss = 0.05;
// Cost of a change of a group's rate by one nat, in viewers moved: 320 rungs of 10 nats cost less
// than one viewer's move. A larger cost moves viewers to save changes of rates, with none the
// choice among equal moves is arbitrary. Not measured against other values.
constexpr double kRateChangeCost = 1.0 / 4096;

/// The value of the best group for the viewer.
double best_value(base::BitRate sustains, std::span<const GroupView> groups) {
  double best = -std::numeric_limits<double>::infinity();
  for (const auto& g : groups) best = std::max(best, value(sustains, g.rate));
  return best;
}

/// The effect of a plan on the viewers of some groups.
struct Change {
  double gain = 0;   ///< of the sum of values, over the viewers' own moves
  double least = 0;  ///< lowest gain of one viewer over the present; negative: a viewer loses
};

Change change(std::span<const GroupView> groups, const Plan& plan) {
  Change sum;
  for (const auto& g : groups) {
    for (const auto& [index, bin] : g.counted->bins()) {
      const double planned = value(bin.lowest, rung_of(bin.lowest, plan).rate);
      const double gain = planned - best_value(bin.lowest, groups);
      sum.gain += gain * static_cast<double>(bin.viewers);
      sum.least = std::min(sum.least, planned - value(bin.lowest, g.rate));
    }
  }
  return sum;
}

bool is_worth(const Change& change, std::size_t viewers, bool guard) {
  if (guard && change.least < std::log1p(-kMaxRateLoss)) return false;
  return change.gain >= kMinPlanGain * static_cast<double>(viewers);
}

/// Returns costs[r][g] of giving rung r to group g; new groups cost nothing. One viewer that stays
/// outweighs any change of rates.
Costs costs(std::span<const GroupView> groups, const Plan& plan) {
  Costs costs(plan.size(), std::vector<double>(std::max(groups.size(), plan.size())));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t r = 0; r < plan.size(); ++r) {
      costs[r][g] = kRateChangeCost * std::abs(std::log(plan[r].rate / groups[g].rate));
    }
    for (const auto& [index, bin] : groups[g].counted->bins()) {
      const auto r = static_cast<std::size_t>(&rung_of(bin.lowest, plan) - plan.data());
      costs[r][g] -= static_cast<double>(bin.viewers);
    }
  }
  return costs;
}

/// By rising rate; of equal rates the fullest first.
std::vector<GroupView> by_rate(std::span<const GroupView> groups) {
  std::vector<GroupView> rising{groups.begin(), groups.end()};
  std::ranges::stable_sort(rising, [](const GroupView& a, const GroupView& b) {
    return a.rate != b.rate ? a.rate < b.rate : a.viewers > b.viewers;
  });
  return rising;
}

/// The rate that a group would have if nobody in it drained a backlog.
base::BitRate wanted_in(const GroupView& group) {
  const auto& counted = *group.counted;
  return counted.viewers() == 1 ? std::max(group.rate, counted.bins().begin()->second.lowest)
                                : group.rate;
}

/// The group of each rung: few viewers move and, with equally many, rates change least.
std::vector<std::optional<std::uint32_t>> match(std::span<const GroupView> groups,
                                                const Plan& plan) {
  std::vector<std::optional<std::uint32_t>> of_rung;
  for (const std::size_t g : assign(costs(groups, plan))) {
    of_rung.push_back(g < groups.size() ? std::optional{groups[g].group} : std::nullopt);
  }
  return of_rung;
}

}  // namespace

bool collapses(base::BitRate viewer, base::BitRate group) {
  return viewer < (1 - kMaxRateLoss) * group;
}

bool sustains(base::BitRate viewer, base::BitRate group) {
  return viewer >= kSustainedShare * group;
}

bool suits(base::BitRate sustains, base::BitRate group) {
  return group <= sustains && sustains < kOwnGroupGain * group;
}

bool is_crowd(std::size_t viewers) { return kLeftBehindShare * static_cast<double>(viewers) >= 1; }

std::optional<std::uint32_t> share(base::BitRate sustains, std::span<const GroupView> groups) {
  const GroupView* best = nullptr;
  for (const auto& g : groups) {
    const bool fits = g.rate <= sustains;
    const bool best_fits = best && best->rate <= sustains;
    const bool better = !best || (fits != best_fits      ? fits
                                  : g.rate != best->rate ? (g.rate > best->rate) == fits
                                                         : g.viewers > best->viewers);
    if (better) best = &g;
  }
  return best ? std::optional{best->group} : std::nullopt;
}

std::optional<Reason> misplaced(const MemberView& membership, const GroupView& own,
                                base::Time now) {
  if (membership.counts && own.counted->viewers() < 2) return {};  // the group follows them
  if (!sustains(membership.sustains, own.rate)) return Reason::kMoveDown;
  if (membership.sustains >= kMinRateGain * own.rate && now - membership.since >= kMoveDwell) {
    return Reason::kMoveUp;
  }
  return {};
}

std::optional<std::uint32_t> better_group(const MemberView& membership, const GroupView& own,
                                          Reason reason, std::span<const GroupView> groups) {
  const auto best = share(membership.sustains, groups);
  const auto& group = *std::ranges::find(groups, *best, &GroupView::group);
  const bool better =
      reason == Reason::kMoveDown ? group.rate < own.rate : group.rate >= kMinRateGain * own.rate;
  return better ? best : std::nullopt;
}

std::optional<Layout> rearrange(std::span<const GroupView> groups, std::size_t max, bool guard) {
  RateHistogram viewers;
  for (const auto& g : groups) viewers.add(*g.counted);
  if (viewers.viewers() == 0) return {};
  auto plan = plan_ladder(viewers, max);
  if (!is_worth(change(groups, plan), viewers.viewers(), guard)) return {};
  auto of_rung = match(groups, plan);
  return Layout{std::move(plan), std::move(of_rung)};
}

std::optional<std::size_t> next_rung(const MemberView& membership, base::BitRate own,
                                     const Layout& layout, base::Time now) {
  const Rung& rung = rung_of(membership.sustains, layout.plan);
  const auto index = static_cast<std::size_t>(&rung - layout.plan.data());
  if (layout.groups[index] == membership.group) return {};
  const auto own_rung = std::ranges::find(layout.groups, std::optional{membership.group});
  if (own_rung != layout.groups.end()) {
    const auto kept = layout.plan[static_cast<std::size_t>(own_rung - layout.groups.begin())].rate;
    if (sustains(membership.sustains, kept) && rung.rate < kMinRateGain * kept) return {};
    if (rung.rate > own && kept >= own && now - membership.since < kMoveDwell) return {};
  }
  return index;
}

std::optional<Merger> find_merger(std::span<const GroupView> groups) {
  const auto rising = by_rate(groups);
  std::optional<Merger> best;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 1; i < rising.size(); ++i) {
    const auto* from = &rising[i];
    const auto* into = &rising[i - 1];
    if (collapses(into->rate, wanted_in(*from))) continue;
    if (from->viewers > into->viewers) std::swap(from, into);
    if (from->viewers == 0 || from->viewers >= fewest) continue;
    fewest = from->viewers;
    best = {from->group, into->group};
  }
  return best;
}

std::optional<std::uint32_t> least_valuable(std::span<const GroupView> groups) {
  if (groups.size() < 2) return {};
  const auto empty = std::ranges::find(groups, 0u, &GroupView::viewers);
  if (empty != groups.end()) return empty->group;
  const auto rising = by_rate(groups);
  std::optional<std::uint32_t> least;
  double least_loss = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < rising.size(); ++i) {
    double loss = 0;
    for (const auto& [index, bin] : rising[i].counted->bins()) {
      loss += static_cast<double>(bin.viewers) *
              (value(bin.lowest, rising[i].rate) - value(bin.lowest, rising[i - 1].rate));
    }
    if (loss >= least_loss) continue;
    least_loss = loss;
    least = rising[i].group;
  }
  return least;
}

}  // namespace abr
