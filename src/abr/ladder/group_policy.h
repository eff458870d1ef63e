#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abr/ladder/ladder_plan.h"
#include "abr/ladder/rate_histogram.h"
#include "abr/reason.h"
#include "base/units.h"

/// Assigns viewers to encode groups. No I/O, no clock. Each viewer moves on their own first: down
/// as soon as they cannot sustain their group, up once they have sustained a better one for a
/// while. A new plan (ladder_plan.h) rearranges all viewers when that is worth the keyframes it
/// costs.
namespace abr {

/// One encode group as the policy sees it.
struct GroupView {
  std::uint32_t group = 0;
  base::BitRate rate;
  std::size_t viewers = 0;
  /// The viewers that count (standing.h), by the rate they sustain. Perhaps none.
  const RateHistogram* counted = nullptr;
};

/// One viewer's place in a group.
struct MemberView {
  std::uint32_t group = 0;
  base::BitRate sustains;  ///< as the viewer's RatePolicy last decided
  base::Time since{};      ///< when the viewer joined the group
  bool counts = true;      ///< in GroupView::counted of that group
};

/// Whether the viewer's rate is more than 5 % below the group's, which counts as a collapse.
bool collapses(base::BitRate viewer, base::BitRate group);

/// Whether a viewer that sustains the rate `viewer` can take the group's rate for long.
bool sustains(base::BitRate viewer, base::BitRate group);

/// Whether a group of this size may leave its slowest viewers behind.
bool is_crowd(std::size_t viewers);

/// Whether a viewer in a crowd can do with a group of this rate, instead of one of their own.
bool suits(base::BitRate sustains, base::BitRate group);

/// The group for a viewer that has to share: the fastest group that they sustain, or the slowest if
/// they sustain none. Of groups with equal rates the fullest, so that few move when another viewer
/// needs a group of their own. nullopt without groups.
std::optional<std::uint32_t> share(base::BitRate sustains, std::span<const GroupView> groups);

/// Why the viewer should move to another group, or a private one; nullopt when they should stay.
std::optional<Reason> misplaced(const MemberView& membership, const GroupView& own, base::Time now);

/// A better group for the viewer among `groups`, which include `own`; nullopt when there is none.
std::optional<std::uint32_t> better_group(const MemberView& membership, const GroupView& own,
                                          Reason reason, std::span<const GroupView> groups);

/// A plan, and the existing group that takes each of its rungs; nullopt for a new group.
struct Layout {
  Plan plan;
  std::vector<std::optional<std::uint32_t>> groups;
};

/// The plan for the viewers that count in `groups` with at most `max` groups, laid out so that as
/// few viewers as possible move. nullopt when it is not worth it or, with `guard`, when it costs
/// any viewer 5 % of their rate or more.
std::optional<Layout> rearrange(std::span<const GroupView> groups, std::size_t max, bool guard);

/// The rung that a viewer in a group of rate `own` moves to. nullopt when the viewer stays: the
/// layout says so, or they have to dwell first and lose nothing by it.
std::optional<std::size_t> next_rung(const MemberView& membership, base::BitRate own,
                                     const Layout& layout, base::Time now);

/// A group that its viewers can do without, because another serves them nearly as well.
struct Merger {
  std::uint32_t from = 0;
  std::uint32_t into = 0;
};

/// Of two groups whose rates are less than 5 % apart the emptier one goes. Of several pairs, the
/// one in which fewest viewers move. nullopt if there is none.
std::optional<Merger> find_merger(std::span<const GroupView> groups);

/// The group whose viewers that count lose least in total if they get the next slower group. An
/// empty group comes first; the slowest has no slower one. nullopt with fewer than two groups.
std::optional<std::uint32_t> least_valuable(std::span<const GroupView> groups);

}  // namespace abr
