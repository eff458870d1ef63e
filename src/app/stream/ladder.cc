#include "app/stream/ladder.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/cpus.h"
#include "server/channel_switch.h"

namespace app {

namespace {

std::size_t most_groups(const abr::GroupSettings& settings) {
  return settings.max > 0 ? static_cast<std::size_t>(settings.max) : abr::kMostGroups;
}

/// Until the cost of an encoder has been measured.
std::size_t first_groups(const abr::GroupSettings& settings) {
  const auto cpus = static_cast<std::size_t>(base::cpu_threads());
  return settings.max > 0 ? most_groups(settings) : std::min(abr::kMostGroups, cpus);
}

// Time from the decision to move a viewer to the splice. The old group's frames up to there are on
// their way, and the new group's encoder gets three frames' notice at 30 frames/s. A longer notice
// keeps the viewer longer at the old rate; with a shorter one the keyframe may be late.
constexpr base::Duration kSpliceNotice = std::chrono::milliseconds{100};
// Time between two plans. A plan is for the long run; rates and moves of single viewers do not wait
// for it. A shorter interval costs more CPU time and keyframes; with a longer one a crowd waits
// longer for a better group.
constexpr base::Duration kPlanInterval = std::chrono::seconds{1};

}  // namespace

Ladder::Ladder(abr::GroupSettings settings, transcoder::StreamClock clock, LadderActions& actions)
    : settings_{settings},
      clock_{clock},
      actions_{actions},
      groups_{actions_},
      ceiling_{most_groups(settings)},
      max_groups_{first_groups(settings)} {}

Ladder::GroupIndex Ladder::join(ViewerId viewer, base::BitRate sustains, base::Time now) {
  std::lock_guard lock{mutex_};
  if (closed_) throw std::runtime_error{"the stream has been stopped"};
  const GroupIndex group = group_for(sustains, now);
  // A new viewer's `sustains` is a guess, so it must not lower the rate of the others in the group.
  const auto& state = groups_.at(group).state;
  const bool too_fast = state.viewers > 0 && abr::collapses(sustains, state.rate);
  std::optional<Fall> fall;
  if (too_fast) fall = Fall{now, state.rate, sustains};
  enter_group(viewer, {group, sustains, sustains, now}, fall, abr::Reason::kStart);
  ++counters_.viewers[abr::index_of(abr::Standing::kUnproven)];
  actions_.schedule_keyframe(group, base::Duration::zero());
  return group;
}

bool Ladder::report(ViewerId viewer, abr::Decision decision, base::Time now) {
  std::lock_guard lock{mutex_};
  const auto found = memberships_.find(viewer);
  if (closed_ || found == memberships_.end()) return false;
  Membership& membership = found->second;
  auto& group = groups_.at(membership.group);
  const auto sustains = decision.sustains.bps() > 0 ? decision.sustains : decision.rate;
  group.members.change(viewer, std::exchange(membership.sustains, sustains), sustains,
                       membership.standing);
  membership.rate = decision.rate;
  if (counts(membership)) group.wanted = decision.rate;
  // Compared with the recent rate, a slide in small steps is a collapse too.
  const auto recent = recent_rate(membership, now);
  if (abr::collapses(sustains, recent)) {
    group.members.note_fall(viewer, {now, recent, sustains}, membership.standing);
  }
  changed_ = true;
  if (consider_move(viewer, membership, now) || !counts(membership)) return false;
  if (group.members.is_private()) return groups_.follow(membership.group, decision.reason);
  return sustains < group.state.rate && groups_.follow(membership.group, abr::Reason::kMembers);
}

void Ladder::set_standing(ViewerId viewer, abr::Standing standing, base::Time now) {
  std::lock_guard lock{mutex_};
  const auto found = memberships_.find(viewer);
  if (closed_ || found == memberships_.end() || found->second.standing == standing) return;
  Membership& membership = found->second;
  const auto before = std::exchange(membership.standing, standing);
  --counters_.viewers[abr::index_of(before)];
  ++counters_.viewers[abr::index_of(standing)];
  auto& group = groups_.at(membership.group);
  group.members.change_standing(viewer, membership.sustains, before, standing);
  changed_ = true;
  if (counts(membership) && abr::collapses(membership.sustains, group.state.rate)) {
    group.members.note_fall(viewer, {now, group.state.rate, membership.sustains}, standing);
  }
  if (consider_move(viewer, membership, now) || !group.members.is_private()) return;
  ask_the_only_one(membership.group);
  groups_.follow(membership.group, abr::Reason::kMembers);
}

void Ladder::leave(ViewerId viewer, base::Time now) {
  std::lock_guard lock{mutex_};
  const auto node = memberships_.extract(viewer);
  if (node.empty()) return;
  --counters_.viewers[abr::index_of(node.mapped().standing)];
  leave_group(viewer, node.mapped(), now);
}

bool Ladder::counts(const Membership& membership) {
  return membership.standing == groups_.at(membership.group).members.best_standing();
}

/// Whether those who count are a crowd.
bool Ladder::is_crowded() const {
  return abr::is_crowd(counters_.viewers[abr::index_of(groups_.best_standing())]);
}

/// Whether an encoder may be opened for the viewer. Those who take nothing share the encoders of
/// those who do.
bool Ladder::may_open(const Membership& membership) const {
  return membership.standing != abr::Standing::kUnproven ||
         groups_.best_standing() == abr::Standing::kUnproven;
}

std::optional<Ladder::GroupIndex> Ladder::group_of(ViewerId viewer) const {
  std::lock_guard lock{mutex_};
  const auto found = memberships_.find(viewer);
  return found == memberships_.end() ? std::nullopt : std::optional{found->second.group};
}

base::BitRate Ladder::rate_of(GroupIndex group) const {
  std::lock_guard lock{mutex_};
  const auto groups = groups_.state();
  const auto found = groups.find(group);
  return found == groups.end() ? base::BitRate{} : found->second.rate;
}

void Ladder::close() {
  std::lock_guard lock{mutex_};
  closed_ = true;
}

void Ladder::limit(std::size_t groups) {
  std::lock_guard lock{mutex_};
  max_groups_ = std::clamp<std::size_t>(groups, 1, ceiling_);
}

std::optional<Ladder::GroupIndex> Ladder::shed(base::Time now) {
  std::lock_guard lock{mutex_};
  const auto least = abr::least_valuable(groups_.views());
  if (closed_ || !least) return {};
  groups_.at(*least).shed = true;
  ++counters_.shed;
  const auto others = groups_.views();
  for (auto& [viewer, membership] : memberships_) {
    if (membership.group != *least) continue;
    move(viewer, membership, *abr::share(membership.sustains, others), abr::Reason::kShed, now);
  }
  return least;
}

/// In a crowd nobody needs an encoder of their own that does what another does. The group that they
/// leave is spare for a while (groups.linger), so that groups do not come and go.
void Ladder::merge(base::Time now) {
  if (!is_crowded()) return;
  const auto found = abr::find_merger(groups_.views());
  if (!found) return;
  for (auto& [viewer, membership] : memberships_) {
    if (membership.group != found->from) continue;
    move(viewer, membership, found->into, abr::Reason::kMerged, now);
  }
}

Ladder::Notices Ladder::tick(base::Time now) {
  std::vector<GroupIndex> closing;
  Notices notices;
  {
    std::lock_guard lock{mutex_};
    if (closed_) return {};
    groups_.pass_time(now);
    for (auto& [viewer, membership] : memberships_) consider_move(viewer, membership, now);
    groups_.update_rates();
    rearrange(now);
    notices = {.refused = refused(), .open_error = groups_.take_open_error()};
    closing = groups_.start_closing(settings_.linger, now);
  }
  // Closing joins a thread. Until then the index stays taken.
  for (const GroupIndex index : closing) actions_.close(index);
  std::lock_guard lock{mutex_};
  for (const GroupIndex index : closing) groups_.erase(index);
  return notices;
}

Ladder::State Ladder::state() const {
  std::lock_guard lock{mutex_};
  State state = counters_;
  state.groups = groups_.state();
  state.max_groups = max_groups_;
  state.opens_failed = groups_.opens_failed();
  return state;
}

bool Ladder::serves_one(GroupIndex group) const {
  std::lock_guard lock{mutex_};
  return groups_.serves_one(group);
}

/// The highest rate that the viewer was served in the last one to two seconds.
base::BitRate Ladder::recent_rate(const Membership& membership, base::Time now) {
  const auto& group = groups_.at(membership.group);
  if (now - membership.since >= OpenGroups::kMaxPeakAge) return group.recent_peak();
  return std::max(membership.rate_on_entry, group.state.rate);
}

Ladder::GroupIndex Ladder::group_for(base::BitRate sustains, base::Time now) {
  const auto shared = abr::share(sustains, groups_.views());
  if (!shared) return groups_.open(sustains, now);
  if (is_served(sustains, *shared)) return *shared;
  return spare_or_new(sustains, now).value_or(*shared);
}

std::optional<Ladder::GroupIndex> Ladder::spare_or_new(base::BitRate rate, base::Time now) {
  if (const auto group = groups_.spare()) return group;
  return has_room() ? groups_.try_open(rate, now) : std::nullopt;
}

/// Whether a viewer in a crowd needs no group of their own, because of one that they can share.
bool Ladder::is_served(base::BitRate sustains, GroupIndex shared) {
  return is_crowded() && abr::suits(sustains, groups_.view(shared).rate);
}

/// Returns whether the viewer has moved.
bool Ladder::consider_move(ViewerId viewer, Membership& membership, base::Time now) {
  const abr::MemberView as_seen{membership.group, membership.sustains, membership.since,
                                counts(membership)};
  const auto own = groups_.view(membership.group);
  const auto reason = abr::misplaced(as_seen, own, now);
  if (!reason) return false;
  const auto open_groups = groups_.views();
  auto target = abr::better_group(as_seen, own, *reason, open_groups);
  const auto shared = abr::share(membership.sustains, open_groups);
  if (may_open(membership) && !is_served(membership.sustains, *shared)) {
    if (const auto own_group = spare_or_new(membership.sustains, now)) target = own_group;
  }
  if (!target) return false;
  move(viewer, membership, *target, *reason, now);
  return true;
}

void Ladder::move(ViewerId viewer, Membership& membership, GroupIndex target, abr::Reason reason,
                  base::Time now) {
  ++counters_.moves[reason];
  const bool counted = counts(membership);
  const Membership old = std::exchange(
      membership, {target, membership.sustains, membership.rate, now, membership.standing});
  const auto fall = groups_.at(old.group).members.fall(viewer);
  leave_group(viewer, old, now);
  enter_group(viewer, membership, fall, abr::Reason::kMembers);
  const auto at = actions_.schedule_keyframe(target, kSpliceNotice);
  depart(old, counted && !fall, at, now);
  actions_.move(viewer, target, at, reason);
}

/// A private group takes its viewer's rate at once.
void Ladder::enter_group(ViewerId viewer, Membership membership, const std::optional<Fall>& fall,
                         abr::Reason reason) {
  auto& group = groups_.at(membership.group);
  ++group.state.viewers;
  group.members.join(membership.sustains, membership.standing);
  if (counts(membership)) group.wanted = membership.rate;
  if (fall) group.members.note_fall(viewer, *fall, membership.standing);
  changed_ = true;
  if (group.members.is_private()) groups_.follow(membership.group, reason);
  membership.rate_on_entry = group.state.rate;
  memberships_[viewer] = membership;
}

void Ladder::leave_group(ViewerId viewer, const Membership& membership, base::Time now) {
  auto& group = groups_.at(membership.group);
  const bool counted = counts(membership);
  group.members.leave(viewer, membership.sustains, membership.standing);
  --group.state.viewers;
  group.state.empty_since = now;
  changed_ = true;
  if (counted && group.members.counted().viewers() == 1) ask_the_only_one(membership.group);
}

/// REQUIRES: exactly one viewer in `group` counts.
void Ladder::ask_the_only_one(GroupIndex group) {
  auto& state = groups_.at(group);
  const auto best = state.members.best_standing();
  const auto only = std::ranges::find_if(memberships_, [&](const auto& one) {
    return one.second.group == group && one.second.standing == best;
  });
  state.wanted = only->second.rate;
}

void Ladder::depart(const Membership& membership, bool count, media::Pts at, base::Time now) {
  auto& group = groups_.at(membership.group);
  // Until then the viewer may still receive the old group's frames.
  using server::ChannelSwitch;
  const auto until = std::clamp(clock_.monotonic(at) + ChannelSwitch::kMaxOldChannelWait, now,
                                now + ChannelSwitch::kMaxNewChannelSilence);
  group.members.depart(membership.sustains, group.state.rate, count, until);
}

void Ladder::rearrange(base::Time now) {
  if (!changed_ || now - planned_ < kPlanInterval) return;
  planned_ = now;
  changed_ = false;
  const auto open_groups = groups_.views();
  // Groups that are open and encode in time may stay, even if the forecast of their cost is higher.
  auto layout =
      abr::rearrange(open_groups, std::max(max_groups_, open_groups.size()), groups_.one_fell());
  if (layout) return carry_out(std::move(*layout), now);
  merge(now);
}

void Ladder::carry_out(abr::Layout layout, base::Time now) {
  for (std::size_t i = 0; i < layout.plan.size(); ++i) {
    if (!layout.groups[i]) layout.groups[i] = groups_.try_open(layout.plan[i].rate, now);
    if (!layout.groups[i]) return;
  }
  ++counters_.plans;
  std::map<GroupIndex, base::BitRate> before;
  for (const auto& [index, group] : groups_.state()) before[index] = groups_.view(index).rate;
  set_crowds(layout);
  const auto best = groups_.best_standing();
  const bool has_room = groups_.size() <= max_groups_;
  for (auto& [viewer, membership] : memberships_) {
    const bool planned =
        std::ranges::find(layout.groups, std::optional{membership.group}) != layout.groups.end();
    if (has_room && !planned && membership.standing != best) continue;
    const auto own = before.at(membership.group);
    const auto rung =
        abr::next_rung({membership.group, membership.sustains, membership.since}, own, layout, now);
    if (!rung) continue;
    const auto rate = layout.plan[*rung].rate;
    const auto reason = rate > own   ? abr::Reason::kMoveUp
                        : rate < own ? abr::Reason::kMoveDown
                                     : abr::Reason::kMembers;
    move(viewer, membership, *layout.groups[*rung], reason, now);
  }
  groups_.update_rates();
}

/// Call before the moves: a crowd's rate does not wait for viewers that leave because of it.
void Ladder::set_crowds(const abr::Layout& layout) {
  for (std::size_t i = 0; i < layout.plan.size(); ++i) {
    const GroupIndex group = *layout.groups[i];
    if (!abr::is_crowd(groups_.at(group).members.counted().viewers())) continue;
    groups_.set_rate(group, layout.plan[i].rate, abr::Reason::kMembers);
  }
}

/// Returns the maximum of groups once when it begins to bind, not at every tick. Nobody who leaves
/// their number to the server is refused any.
std::optional<std::size_t> Ladder::refused() {
  if (settings_.max == 0) return {};
  const auto counted = counters_.viewers[abr::index_of(groups_.best_standing())];
  const auto wanted = std::min(ceiling_, counted);
  const bool refused = max_groups_ < wanted && !has_room();
  const bool reported = std::exchange(refusing_, refused);
  if (!refused || reported) return {};
  ++counters_.refused;
  return max_groups_;
}

}  // namespace app
