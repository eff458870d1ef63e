#include "abr/ladder/group_members.h"

#include <algorithm>

#include "abr/ladder/group_policy.h"

namespace abr {

namespace {

// A viewer that collapsed and has no slower group to go to skips frames for this long. After that
// they are slow and count like any other. A longer time makes one viewer suffer for longer, a
// shorter one lets each short outage lower the rate of the others. Not measured against other
// values.
constexpr base::Duration kFallGrace = std::chrono::seconds{30};

}  // namespace

void GroupMembers::join(base::BitRate sustains, Standing standing) {
  members_[index_of(standing)].add(sustains);
  stale_ = true;
}

void GroupMembers::change(ViewerId viewer, base::BitRate from, base::BitRate to,
                          Standing standing) {
  members_[index_of(standing)].remove(from);
  join(to, standing);
  const auto found = fallen_.find(viewer);
  if (found == fallen_.end()) return;
  found->second.fall.sustains = to;
  if (!collapses(to, found->second.fall.from)) fallen_.erase(found);
}

void GroupMembers::change_standing(ViewerId viewer, base::BitRate sustains, Standing from,
                                   Standing to) {
  members_[index_of(from)].remove(sustains);
  join(sustains, to);
  const auto found = fallen_.find(viewer);
  if (found != fallen_.end()) found->second.standing = to;
}

void GroupMembers::leave(ViewerId viewer, base::BitRate sustains, Standing standing) {
  members_[index_of(standing)].remove(sustains);
  fallen_.erase(viewer);
  stale_ = true;
}

Standing GroupMembers::best_standing() const {
  if (members(Standing::kProven).viewers() > 0) return Standing::kProven;
  return members(Standing::kModest).viewers() > 0 ? Standing::kModest : Standing::kUnproven;
}

std::size_t GroupMembers::size() const {
  std::size_t sum = 0;
  for (const auto& members : members_) sum += members.viewers();
  return sum;
}

void GroupMembers::depart(base::BitRate sustains, base::BitRate rate, bool count,
                          base::Time until) {
  const bool counts = count && abr::sustains(sustains, rate);
  departures_.push_back({counts ? std::optional{sustains} : std::nullopt, until});
  if (counts) leaving_.add(sustains);
}

void GroupMembers::end_departures(base::Time now) {
  std::erase_if(departures_, [&](const Departure& departure) {
    if (departure.until > now) return false;
    if (departure.counts) leaving_.remove(*departure.counts);
    stale_ = true;
    return true;
  });
}

void GroupMembers::note_fall(ViewerId viewer, const Fall& fall, Standing standing) {
  const auto [found, first] = fallen_.try_emplace(viewer, Fallen{fall, standing});
  if (first) return;
  auto& known = found->second;
  // The group came down to the viewer, who has fallen again.
  if (known.forgiven && collapses(fall.from, known.fall.from)) known = {fall, standing};
  known.fall.sustains = fall.sustains;
}

std::optional<GroupMembers::Fall> GroupMembers::fall(ViewerId viewer) const {
  const auto found = fallen_.find(viewer);
  if (found == fallen_.end() || found->second.forgiven) return {};
  return found->second.fall;
}

std::size_t GroupMembers::fallen() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(fallen_, [best = best_standing()](const auto& one) {
        return !one.second.forgiven && one.second.standing == best;
      }));
}

void GroupMembers::forgive(base::Time now) {
  for (auto& [viewer, one] : fallen_) {
    if (one.forgiven || now - one.fall.at < kFallGrace) continue;
    one.forgiven = stale_ = true;
  }
}

/// The rate of the viewer that has fallen below `rate`; nullopt unless it is exactly one of those
/// that count.
std::optional<base::BitRate> GroupMembers::fallen_alone(base::BitRate rate) const {
  const auto best = best_standing();
  std::optional<base::BitRate> alone;
  for (const auto& [viewer, one] : fallen_) {
    if (one.forgiven || one.standing != best || one.fall.sustains >= rate) continue;
    if (alone) return {};
    alone = one.fall.sustains;
  }
  return alone;
}

base::BitRate GroupMembers::next_rate(base::BitRate current) const {
  RateHistogram served = counted();
  served.add(leaving_);
  const auto fallen = fallen_alone(current);
  if (fallen && served.viewers() > 1) {
    served.remove(*fallen);
    served.add(current);
  }
  const auto rate = shared_rate(served);
  const bool holds = rate < current && is_crowd(served.viewers()) && sustains(rate, current);
  return holds ? current : rate;
}

}  // namespace abr
