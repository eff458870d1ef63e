#include "app/stream/open_groups.h"

#include <algorithm>
#include <exception>

namespace app {

namespace {

// Pause after a failed attempt to open a group. Every misplaced viewer asks for a group at each of
// its frames, with the ladder's lock held: a shorter pause blocks the ladder more often, a longer
// one leaves viewers longer in a group that does not suit them.
constexpr base::Duration kOpenRetryDelay = std::chrono::seconds{1};

}  // namespace

GroupIndex OpenGroups::open(base::BitRate rate, base::Time now) {
  GroupIndex index = 0;
  while (groups_.contains(index)) ++index;
  actions_.open(index, rate);
  auto& group = groups_[index];
  group.state = {.rate = rate, .empty_since = now};
  group.highest = rate;
  return index;
}

std::optional<GroupIndex> OpenGroups::try_open(base::BitRate rate, base::Time now) {
  if (now < open_again_) return {};
  try {
    return open(rate, now);
  } catch (const std::exception& error) {  // no thread or encoder; there may be one later
    ++opens_failed_;
    open_again_ = now + kOpenRetryDelay;
    open_error_ = error.what();
    return {};
  }
}

/// An empty group that lingers is as good as a new one, and its encoder is running.
std::optional<GroupIndex> OpenGroups::spare() const {
  for (const auto& [index, group] : groups_) {
    if (is_open(group) && group.members.is_empty()) return index;
  }
  return {};
}

bool OpenGroups::serves_one(GroupIndex index) const {
  const auto found = groups_.find(index);
  return found != groups_.end() && found->second.members.serves_one();
}

bool OpenGroups::follow(GroupIndex index, abr::Reason reason) {
  OpenGroup& group = at(index);
  group.members.settle();
  const auto& members = group.members;
  return set_rate(index, members.is_private() ? group.wanted : members.next_rate(group.state.rate),
                  reason);
}

bool OpenGroups::set_rate(GroupIndex index, base::BitRate rate, abr::Reason reason) {
  OpenGroup& group = at(index);
  if (rate == group.state.rate) return false;
  group.state.rate = rate;
  group.state.reason = reason;
  group.highest = std::max(group.highest, rate);
  actions_.retarget(index, rate);
  return true;
}

void OpenGroups::pass_time(base::Time now) {
  for (auto& [index, group] : groups_) group.members.end_departures(now);
  if (now - period_began_ < kPeakPeriod) return;
  period_began_ = now;
  for (auto& [index, group] : groups_) {
    group.highest_before = group.highest;
    group.highest = group.state.rate;
    group.members.forgive(now);
  }
}

void OpenGroups::update_rates() {
  for (auto& [index, group] : groups_) {
    if (group.members.is_stale() && group.state.viewers > 0) follow(index, abr::Reason::kMembers);
  }
}

bool OpenGroups::one_fell() const {
  std::size_t all = 0;
  std::size_t sharing = 0;
  for (const auto& [index, group] : groups_) {
    all += group.members.fallen();
    if (!group.members.is_private()) sharing += group.members.fallen();
  }
  return all > 0 && sharing <= 1;
}

std::vector<GroupIndex> OpenGroups::start_closing(base::Duration linger, base::Time now) {
  std::vector<GroupIndex> closing;
  for (auto& [index, group] : groups_) {
    auto& state = group.state;
    if (!group.members.is_empty() || state.closing) continue;
    if (!group.shed && now - state.empty_since < linger) continue;
    state.closing = true;
    closing.push_back(index);
  }
  return closing;
}

std::vector<abr::GroupView> OpenGroups::views() const {
  const auto best = best_standing();
  std::vector<abr::GroupView> result;
  for (const auto& [index, group] : groups_) {
    if (!is_open(group)) continue;
    result.push_back(view(index));
    result.back().counted = &group.members.members(best);
  }
  return result;
}

abr::Standing OpenGroups::best_standing() const {
  auto best = abr::Standing::kUnproven;
  for (const auto& [index, group] : groups_) best = std::max(best, group.members.best_standing());
  return best;
}

std::size_t OpenGroups::size() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(groups_, [](const auto& one) { return is_open(one.second); }));
}

abr::GroupView OpenGroups::view(GroupIndex index) const {
  const OpenGroup& group = groups_.at(index);
  // A private group may run below the sustained rate to drain; plan with the sustained rate.
  const auto rate =
      group.members.is_private() ? group.members.next_rate(group.state.rate) : group.state.rate;
  return {index, rate, group.state.viewers, &group.members.counted()};
}

std::map<GroupIndex, OpenGroups::Group> OpenGroups::state() const {
  std::map<GroupIndex, Group> result;
  for (const auto& [index, group] : groups_) result[index] = group.state;
  return result;
}

}  // namespace app
