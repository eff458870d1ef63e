#include "abr/group_members.h"

#include "abr/group_policy.h"

namespace abr {

namespace {

// Who has collapsed, and has no slower group to go to, skips pictures so long. If he is not back
// then he is slow, and counts as anybody else.
constexpr base::Duration kPatience = std::chrono::seconds{30};

}  // namespace

void GroupMembers::join(base::BitRate sustains) {
  seated_.add(sustains);
  stale_ = true;
}

void GroupMembers::change(ViewerId viewer, base::BitRate from, base::BitRate to) {
  seated_.remove(from);
  join(to);
  if (const auto fall = falls_.find(viewer); fall != falls_.end()) fall->second.sustains = to;
}

void GroupMembers::leave(ViewerId viewer, base::BitRate sustains) {
  seated_.remove(sustains);
  falls_.erase(viewer);
  stale_ = true;
}

void GroupMembers::depart(base::BitRate sustains, base::BitRate rate, bool fell, base::Time until) {
  const bool counts = !fell && abr::sustains(sustains, rate);
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

void GroupMembers::note_fall(ViewerId viewer, base::BitRate sustains, base::Time at) {
  falls_[viewer] = {at, sustains};
}

std::optional<base::Time> GroupMembers::fell(ViewerId viewer) const {
  const auto fall = falls_.find(viewer);
  return fall == falls_.end() ? std::nullopt : std::optional{fall->second.at};
}

void GroupMembers::forgive(base::Time now) {
  const auto forgiven =
      std::erase_if(falls_, [&](const auto& fall) { return now - fall.second.at >= kPatience; });
  stale_ |= forgiven > 0;
}

/// What the only one sustains who has fallen below `rate`.
std::optional<base::BitRate> GroupMembers::fallen_alone(base::BitRate rate) const {
  std::optional<base::BitRate> alone;
  for (const auto& [viewer, fall] : falls_) {
    if (fall.sustains >= rate) continue;
    if (alone) return {};
    alone = fall.sustains;
  }
  return alone;
}

base::BitRate GroupMembers::next_rate(base::BitRate current) const {
  RateHistogram served = seated_;
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
