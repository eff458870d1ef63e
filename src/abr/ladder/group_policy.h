#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abr/ladder/ladder_plan.h"
#include "abr/ladder/rate_histogram.h"
#include "abr/reason.h"
#include "base/units.h"

/// Which viewer in which encode group. Pure. A viewer's own way comes first: down as soon as he
/// cannot sustain his group, up when he has proved that he sustains a better one. A new plan
/// (ladder_plan.h) rearranges all of them when that is worth its keyframes.
namespace abr {

/// One encode group as the policy sees it.
struct GroupView {
  std::uint32_t group = 0;
  base::BitRate rate;
  std::size_t viewers = 0;
  const RateHistogram* members = nullptr;  ///< what they sustain
};

/// One viewer in its group.
struct MemberView {
  std::uint32_t group = 0;
  base::BitRate sustains;  ///< the viewer's RatePolicy's last word
  base::Time since{};      ///< when the viewer came into the group
};

/// True: so much less than what he is served that it is a collapse, more than 5 % of a rate.
bool collapses(base::BitRate viewer, base::BitRate group);

/// False: the group asks more of the viewer than he can take for long.
bool sustains(base::BitRate viewer, base::BitRate group);

/// Some of so many may be left behind.
bool is_crowd(std::size_t viewers);

/// The group for one who must share: the fastest that he sustains, of equals the fullest, so that
/// few move when somebody needs a group for himself; else the slowest; empty: no groups.
std::optional<std::uint32_t> share(base::BitRate sustains, std::span<const GroupView> groups);

/// Whether a viewer should have another group, were it only for himself: the reason.
std::optional<Reason> misplaced(const MemberView& membership, const GroupView& own, base::Time now);

/// A better one for him among `groups`, `own` included.
std::optional<std::uint32_t> better_group(const MemberView& membership, const GroupView& own,
                                          Reason reason, std::span<const GroupView> groups);

/// A plan, and the group that each of its rungs goes to; empty: a new one.
struct Layout {
  Plan plan;
  std::vector<std::optional<std::uint32_t>> groups;
};

/// The plan for the viewers of `groups` with at most `max` groups, laid so that as few as possible
/// move; empty: it is not worth it. `guard`: nor is one that costs anybody 5 % of his rate, or
/// more.
std::optional<Layout> rearrange(std::span<const GroupView> groups, std::size_t max, bool guard);

/// The rung that a viewer, whose group has the rate `own`, goes to; empty: he stays where he is, as
/// the layout says or because he has to dwell first and loses nothing by it.
std::optional<std::size_t> next_rung(const MemberView& membership, base::BitRate own,
                                     const Layout& layout, base::Time now);

/// Of two or more groups the one whose viewers lose least, together, when they get the next slower
/// one, which the slowest has not; an empty one before all.
std::optional<std::uint32_t> least_valuable(std::span<const GroupView> groups);

}  // namespace abr
