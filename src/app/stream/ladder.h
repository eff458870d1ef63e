#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "abr/ladder/group_policy.h"
#include "abr/ladder/standing.h"
#include "abr/rate_policy.h"
#include "app/stream/ladder_actions.h"
#include "app/stream/open_groups.h"
#include "base/units.h"
#include "media/frame.h"
#include "transcoder/time/media_clock.h"

namespace app {

/// The encode groups of one stream and their viewers: turns each viewer's decision into group rates
/// and moves, by the rules of abr/ladder/group_policy.h. Invariant: a viewer has a membership in
/// exactly one group between join() and leave(). Thread-safe. Most calls come when something
/// changes, but serves_one() at every frame if there are few viewers
/// (telemetry.samples_per_second).
class Ladder {
 public:
  using GroupIndex = app::GroupIndex;
  using ViewerId = app::ViewerId;
  using Group = OpenGroups::Group;

  struct State {
    std::map<GroupIndex, Group> groups;
    std::size_t max_groups = 0;  ///< groups.max, or fewer if the CPUs cannot encode more
    std::array<std::size_t, abr::kStandings> viewers{};  ///< by abr::Standing
    std::map<abr::Reason, std::uint64_t> moves;
    std::uint64_t plans = 0;  ///< rearrangements of all viewers
    std::uint64_t opens_failed = 0;
    std::uint64_t refused = 0;  ///< times that the CPUs could not encode the groups wanted
    std::uint64_t shed = 0;     ///< groups closed because the encoders were behind
  };

  /// Results of a tick that an operator should know.
  struct Notices {
    std::optional<std::size_t> refused;  ///< more groups are wanted than this maximum
    std::string open_error;              ///< why a group could not be opened; empty if none failed
  };

  /// `actions` must outlive the ladder.
  Ladder(abr::GroupSettings settings, transcoder::StreamClock clock, LadderActions& actions);

  /// Gives a new viewer, who is unproven, a membership; the group encodes a keyframe at once.
  /// Throws what LadderActions::open throws if there is no other group to share, and
  /// std::runtime_error after close().
  GroupIndex join(ViewerId viewer, base::BitRate sustains, base::Time now);
  /// The viewer's decision has changed. Moves the viewer if needed. Otherwise retargets the group
  /// if it is private, or if the viewer now sustains less than its rate, unless this viewer is the
  /// only one that has collapsed. Returns whether the group's rate has changed.
  bool report(ViewerId viewer, abr::Decision decision, base::Time now);
  /// The viewer has shown, or no longer shows, that they take media.
  void set_standing(ViewerId viewer, abr::Standing standing, base::Time now);
  void leave(ViewerId viewer, base::Time now);
  base::BitRate rate_of(GroupIndex group) const;  ///< zero if there is no such group
  /// The viewer's group; nullopt if the viewer has no membership.
  std::optional<GroupIndex> group_of(ViewerId viewer) const;
  /// The stream ends: from now on join() throws, no viewer moves and no group is opened.
  void close();
  /// Sets how many groups the CPUs can encode.
  void limit(std::size_t groups);
  /// Call when the encoders fall behind. Moves the viewers of the least valuable group elsewhere
  /// and returns the group, which then closes; nullopt if fewer than two are open.
  std::optional<GroupIndex> shed(base::Time now);
  /// Call several times per second. Updates the rates of shared groups, which rise only here, makes
  /// moves whose dwell time is over, plans, and closes groups that were empty for groups.linger.
  Notices tick(base::Time now);
  /// Whether the group's frames go to a single viewer, so that they may be changed for that viewer.
  bool serves_one(GroupIndex group) const;
  State state() const;

 private:
  using Fall = abr::GroupMembers::Fall;
  struct Membership {
    GroupIndex group = 0;
    base::BitRate sustains;
    base::BitRate rate;  ///< wanted in a private group; may be less than `sustains`, to drain
    base::Time since{};
    abr::Standing standing = abr::Standing::kUnproven;
    base::BitRate rate_on_entry = {};  ///< the group's rate when the viewer entered it
  };

  bool counts(const Membership& membership);
  bool is_crowded() const;
  bool may_open(const Membership& membership) const;
  bool has_room() const { return groups_.size() < max_groups_; }
  base::BitRate recent_rate(const Membership& membership, base::Time now);
  GroupIndex group_for(base::BitRate sustains, base::Time now);
  std::optional<GroupIndex> spare_or_new(base::BitRate rate, base::Time now);
  bool is_served(base::BitRate sustains, GroupIndex shared);
  bool consider_move(ViewerId viewer, Membership& membership, base::Time now);
  void move(ViewerId viewer, Membership& membership, GroupIndex target, abr::Reason reason,
            base::Time now);
  void enter_group(ViewerId viewer, Membership membership, const std::optional<Fall>& fall,
                   abr::Reason reason);
  void leave_group(ViewerId viewer, const Membership& membership, base::Time now);
  void ask_the_only_one(GroupIndex group);
  void depart(const Membership& membership, bool count, media::Pts at, base::Time now);
  void rearrange(base::Time now);
  void merge(base::Time now);
  void carry_out(abr::Layout layout, base::Time now);
  void set_crowds(const abr::Layout& layout);
  std::optional<std::size_t> refused();

  const abr::GroupSettings settings_;
  const transcoder::StreamClock clock_;
  LadderActions& actions_;
  mutable std::mutex mutex_;  // guards all below
  OpenGroups groups_;
  std::map<ViewerId, Membership> memberships_;
  const std::size_t ceiling_;  ///< groups.max, or abr::kMostGroups
  std::size_t max_groups_;
  base::Time planned_{};
  bool closed_ = false;
  bool changed_ = false;   ///< memberships or `sustains`, since planned_
  bool refusing_ = false;  ///< more groups are wanted than allowed, which Notices have reported
  State counters_;         ///< `groups` stays empty
};

}  // namespace app
