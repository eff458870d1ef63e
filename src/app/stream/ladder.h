#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abr/ladder/group_policy.h"
#include "abr/rate_policy.h"
#include "app/stream/ladder_actions.h"
#include "app/stream/open_groups.h"
#include "base/units.h"
#include "media/frame.h"

namespace app {

/// The encode groups of one stream and who sits in which: turns each viewer's decision into group
/// rates and moves, as abr/ladder/group_policy.h says. Thread-safe; called when something changes,
/// and for serves_one() at every frame where the viewers are few (telemetry.samples_per_second).
class Ladder {
 public:
  using GroupIndex = app::GroupIndex;
  using ViewerId = app::ViewerId;
  using Group = OpenGroups::Group;

  struct State {
    std::map<GroupIndex, Group> groups;
    std::size_t max_groups = 0;  ///< what may be open: groups.max, or less that the CPUs hold
    std::map<abr::Reason, std::uint64_t> moves;
    std::uint64_t plans = 0;  ///< rearrangements of all viewers
    std::uint64_t opens_failed = 0;
    std::uint64_t refused = 0;  ///< times that the CPUs could not hold what was wanted
    std::uint64_t shed = 0;     ///< groups closed because the encoders were behind
  };

  /// What an operator should read of a tick.
  struct Notices {
    std::optional<std::size_t> refused;  ///< more groups are wanted than these, which the CPUs hold
    std::string open_error;              ///< why a group could not be opened; empty: none failed
  };

  /// `epoch`: the monotonic time that pts 0 stands for. `actions` outlives the ladder.
  Ladder(abr::GroupSettings settings, base::Time epoch, LadderActions& actions);

  /// Seats a newcomer; his group makes a keyframe at once. Throws what LadderActions::open throws
  /// when there is no other group to share.
  GroupIndex join(ViewerId viewer, base::BitRate sustains, base::Time now);
  /// What the viewer can take has changed. He moves at once, where that is due; else his group's
  /// rate follows at once, if it is his own or what he takes now lowers it, and not he alone has
  /// collapsed. True when it has.
  bool report(ViewerId viewer, abr::Decision decision, base::Time now);
  void leave(ViewerId viewer, base::Time now);
  base::BitRate rate_of(GroupIndex group) const;  ///< zero: there is no such group
  /// Where he sits; empty: nowhere.
  std::optional<GroupIndex> group_of(ViewerId viewer) const;
  /// The stream ends: from now on nobody joins (that throws) or moves, and no group is opened.
  void close();
  /// What the CPUs hold, from now on.
  void limit(std::size_t groups);
  /// The encoders are behind: closes the least valuable group, if there are two, and returns it.
  std::optional<GroupIndex> shed(base::Time now);
  /// Several times per second: rates that rise, moves that had to dwell, plans, empty groups.
  Notices tick(base::Time now);
  /// What is done to the group's frames is nobody's business but one viewer's.
  bool serves_one(GroupIndex group) const;
  State state() const;

 private:
  using Fall = abr::GroupMembers::Fall;
  struct Membership {
    GroupIndex group = 0;
    base::BitRate sustains;
    base::BitRate rate;  ///< for him alone, at the moment
    base::Time since{};
    base::BitRate found = {};  ///< the group's rate when he came
  };

  bool has_room() const { return groups_.size() < max_groups_; }
  base::BitRate lately(const Membership& membership, base::Time now);
  GroupIndex group_for(base::BitRate sustains, base::Time now);
  std::optional<GroupIndex> spare_or_new(base::BitRate rate, base::Time now);
  bool consider_move(ViewerId viewer, Membership& membership, base::Time now);
  void move(ViewerId viewer, Membership& membership, GroupIndex target, abr::Reason reason,
            base::Time now);
  void enter_group(ViewerId viewer, Membership membership, const std::optional<Fall>& fall,
                   abr::Reason reason);
  void leave_group(ViewerId viewer, const Membership& membership, base::Time now);
  const Membership& last_in(GroupIndex group) const;
  void depart(const Membership& membership, bool fell, media::Pts at, base::Time now);
  void rearrange(base::Time now);
  void carry_out(abr::Layout layout, base::Time now);
  void set_crowds(const abr::Layout& layout);
  std::optional<std::size_t> refused();

  const abr::GroupSettings settings_;
  const base::Time epoch_;
  LadderActions& actions_;
  mutable std::mutex mutex_;  // guards all below
  OpenGroups groups_;
  std::map<ViewerId, Membership> memberships_;
  std::size_t max_groups_;
  base::Time planned_{};
  bool closed_ = false;
  bool changed_ = false;   ///< what somebody sustains, since then
  bool refusing_ = false;  ///< more groups are wanted than the CPUs hold, and Notices have said so
  State counters_;         ///< its groups are empty
};

}  // namespace app
