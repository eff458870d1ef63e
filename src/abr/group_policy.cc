#include "abr/group_policy.h"

#include <algorithm>

namespace abr {

namespace {

// A viewer this far below its group's rate cannot keep up: the encoder's own undershoot is 10 %
// at most (docs/decisions/0001), so 10 % below the target is still served in time.
constexpr double kSustained = 0.9;
// Moving up must be worth a keyframe and the risk: the step of common ladders is 1.3 to 2.
constexpr double kWorthwhile = 1.3;
// A move up waits this long after the last change, so that nobody flaps.
constexpr base::Duration kDwell = std::chrono::seconds{3};
// Of three or more viewers one may be left behind, of many one in ten.
constexpr std::size_t kOutlierFrom = 3;
constexpr std::size_t kOutlierShare = 10;

bool sustains(base::BitRate viewer, base::BitRate group) { return viewer >= kSustained * group; }

/// The fastest group that `viewer` sustains; of equals the emptiest. Null when there is none.
const GroupView* best_sustained(base::BitRate viewer, std::span<const GroupView> groups) {
  const GroupView* best = nullptr;
  for (const auto& g : groups) {
    if (!sustains(viewer, g.rate)) continue;
    if (!best || g.rate > best->rate || (g.rate == best->rate && g.viewers < best->viewers)) {
      best = &g;
    }
  }
  return best;
}

const GroupView* slowest(std::span<const GroupView> groups) {
  const auto it = std::ranges::min_element(groups, {}, &GroupView::rate);
  return it == groups.end() ? nullptr : &*it;
}

}  // namespace

std::optional<std::uint32_t> GroupPolicy::place(base::BitRate sustains,
                                                std::span<const GroupView> groups) const {
  if (groups.size() < max_groups_) return {};
  return share(sustains, groups);
}

std::optional<std::uint32_t> GroupPolicy::share(base::BitRate sustains,
                                                std::span<const GroupView> groups) {
  const GroupView* best = best_sustained(sustains, groups);
  if (!best) best = slowest(groups);
  return best ? std::optional{best->group} : std::nullopt;
}

base::BitRate GroupPolicy::rate(std::vector<base::BitRate> members) const {
  const std::size_t n = members.size();
  const std::size_t outliers = std::max<std::size_t>(n >= kOutlierFrom ? 1 : 0, n / kOutlierShare);
  std::ranges::nth_element(members, members.begin() + static_cast<std::ptrdiff_t>(outliers));
  return members[outliers];
}

std::optional<Move> GroupPolicy::reconsider(const SeatView& seat, std::span<const GroupView> groups,
                                            base::Time now) const {
  const auto own = std::ranges::find(groups, seat.group, &GroupView::group);
  if (own == groups.end() || own->viewers < 2) return {};
  const bool overloaded = !sustains(seat.sustains, own->rate);
  const bool underserved = seat.sustains >= kWorthwhile * own->rate && now - seat.since >= kDwell;
  if (!overloaded && !underserved) return {};

  const Reason reason = overloaded ? Reason::kMoveDown : Reason::kMoveUp;
  if (groups.size() < max_groups_) return Move{{}, reason};
  const GroupView* best = best_sustained(seat.sustains, groups);
  if (!best) best = slowest(groups);
  const bool better = overloaded ? best->rate < own->rate : best->rate >= kWorthwhile * own->rate;
  if (best->group == seat.group || !better) return {};
  return Move{best->group, reason};
}

}  // namespace abr
