#include "app/ladder.h"

#include <algorithm>
#include <thread>

namespace app {

namespace {

std::size_t max_groups(const abr::GroupSettings& settings) {
  if (settings.max > 0) return static_cast<std::size_t>(settings.max);
  return std::max(1u, std::thread::hardware_concurrency());
}

// A viewer changes group this long after the decision: his old group's pictures up to there are
// on their way, and the new group's encoder has three frames' notice at 30 frames/s.
constexpr base::Duration kSpliceNotice = std::chrono::milliseconds{100};

}  // namespace

Ladder::Ladder(abr::GroupSettings settings, Actions actions)
    : linger_{settings.linger}, policy_{max_groups(settings)}, actions_{std::move(actions)} {}

Ladder::GroupIndex Ladder::join(ViewerId viewer, base::BitRate sustains, base::Time now) {
  std::lock_guard lock{mutex_};
  const GroupIndex group = group_for(sustains, now);
  seat(viewer, {group, sustains, now}, abr::Reason::kStart);
  actions_.schedule_keyframe(group, base::Duration::zero());
  return group;
}

bool Ladder::report(ViewerId viewer, abr::Decision decision, base::Time now) {
  std::lock_guard lock{mutex_};
  const auto found = seats_.find(viewer);
  if (found == seats_.end()) return false;
  found->second.sustains = decision.rate;
  if (consider_move(viewer, found->second, views(), now)) return false;
  return member_changed(found->second, decision.reason);
}

void Ladder::leave(ViewerId viewer, base::Time now) {
  std::lock_guard lock{mutex_};
  const auto node = seats_.extract(viewer);
  if (!node.empty()) unseat(node.mapped(), now);
}

void Ladder::tick(base::Time now) {
  std::vector<GroupIndex> closing;
  {
    std::lock_guard lock{mutex_};
    update_shared_rates();
    reconsider_seats(now);
    closing = start_closing(now);
  }
  // Closing joins a thread. The index stays taken until that is done.
  for (const GroupIndex index : closing) actions_.close(index);
  std::lock_guard lock{mutex_};
  for (const GroupIndex index : closing) groups_.erase(index);
}

Ladder::State Ladder::state() const {
  std::lock_guard lock{mutex_};
  return {groups_, moves_down_, moves_up_, opens_failed_};
}

Ladder::GroupIndex Ladder::group_for(base::BitRate sustains, base::Time now) {
  // An empty group that lingers is as good as a new one, and its encoder is warm.
  const auto spare = std::ranges::find_if(
      groups_, [](const auto& g) { return g.second.viewers == 0 && !g.second.closing; });
  if (spare != groups_.end()) return spare->first;
  const auto open_groups = views();
  if (const auto shared = policy_.place(sustains, open_groups)) return *shared;
  const auto fallback = abr::GroupPolicy::share(sustains, open_groups);
  if (!fallback) return open(sustains, now);
  return try_open(sustains, now).value_or(*fallback);
}

Ladder::GroupIndex Ladder::open(base::BitRate rate, base::Time now) {
  GroupIndex index = 0;
  while (groups_.contains(index)) ++index;
  actions_.open(index, rate);
  groups_[index] = {.rate = rate, .empty_since = now};
  return index;
}

std::optional<Ladder::GroupIndex> Ladder::try_open(base::BitRate rate, base::Time now) {
  try {
    return open(rate, now);
  } catch (const std::exception& error) {  // a thread or an encoder: may be had again later
    ++opens_failed_;
    actions_.open_failed(error);
    return {};
  }
}

/// True when the viewer has moved.
bool Ladder::consider_move(ViewerId viewer, Seat& current, std::span<const abr::GroupView> views,
                           base::Time now) {
  const auto move =
      policy_.reconsider({current.group, current.sustains, current.since}, views, now);
  if (!move) return false;
  const auto target = move->group ? move->group : try_open(current.sustains, now);
  if (!target) return false;
  ++(move->reason == abr::Reason::kMoveUp ? moves_up_ : moves_down_);
  unseat(current, now);
  seat(viewer, {*target, current.sustains, now}, abr::Reason::kMembers);
  actions_.move(viewer, *target, actions_.schedule_keyframe(*target, kSpliceNotice), move->reason);
  return true;
}

void Ladder::seat(ViewerId viewer, Seat seat, abr::Reason reason) {
  seats_[viewer] = seat;
  ++groups_.at(seat.group).viewers;
  member_changed(seat, reason);
}

void Ladder::unseat(const Seat& seat, base::Time now) {
  Group& group = groups_.at(seat.group);
  --group.viewers;
  group.empty_since = now;
  group.stale = true;
}

/// A private group follows its viewer at once, a shared one at the next tick.
bool Ladder::member_changed(const Seat& seat, abr::Reason reason) {
  Group& group = groups_.at(seat.group);
  if (group.viewers == 1) return set_rate(seat.group, policy_.rate({seat.sustains}), reason);
  group.stale = true;
  return false;
}

bool Ladder::set_rate(GroupIndex index, base::BitRate rate, abr::Reason reason) {
  Group& group = groups_.at(index);
  group.stale = false;
  if (rate == group.rate) return false;
  group.rate = rate;
  group.reason = reason;
  actions_.retarget(index, rate);
  return true;
}

void Ladder::update_shared_rates() {
  std::map<GroupIndex, std::vector<base::BitRate>> members;
  for (const auto& [viewer, seat] : seats_) {
    if (groups_.at(seat.group).stale) members[seat.group].push_back(seat.sustains);
  }
  for (auto& [index, rates] : members) {
    set_rate(index, policy_.rate(std::move(rates)), abr::Reason::kMembers);
  }
}

void Ladder::reconsider_seats(base::Time now) {
  auto current = views();
  for (auto& [viewer, seat] : seats_) {
    if (consider_move(viewer, seat, current, now)) current = views();
  }
}

std::vector<Ladder::GroupIndex> Ladder::start_closing(base::Time now) {
  std::vector<GroupIndex> closing;
  for (auto& [index, group] : groups_) {
    if (group.viewers > 0 || group.closing || now - group.empty_since < linger_) continue;
    group.closing = true;
    closing.push_back(index);
  }
  return closing;
}

std::vector<abr::GroupView> Ladder::views() const {
  std::vector<abr::GroupView> result;
  for (const auto& [index, group] : groups_) {
    if (!group.closing) result.push_back({index, group.rate, group.viewers});
  }
  return result;
}

}  // namespace app
