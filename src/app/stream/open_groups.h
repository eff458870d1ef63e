#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abr/ladder/group_members.h"
#include "abr/ladder/group_policy.h"
#include "abr/ladder/standing.h"
#include "abr/reason.h"
#include "app/stream/ladder_actions.h"
#include "base/units.h"

namespace app {

/// The open encode groups of one stream, each with its target rate and its members. Owned by the
/// ladder, used with its lock held.
class OpenGroups {
 public:
  /// Length of the periods whose highest rates are kept. With a longer one a viewer that slowly
  /// sustains less counts as collapsed; with a shorter one a collapse in small steps is missed.
  static constexpr base::Duration kPeakPeriod = std::chrono::seconds{1};
  /// recent_peak() covers the current period and the one before it.
  static constexpr base::Duration kMaxPeakAge = 2 * kPeakPeriod;

  /// The public state of a group.
  struct Group {
    base::BitRate rate;
    abr::Reason reason = abr::Reason::kStart;  ///< of the last change of `rate`
    std::size_t viewers = 0;
    base::Time empty_since{};
    bool closing = false;
  };

  struct OpenGroup {
    Group state;
    abr::GroupMembers members;
    base::BitRate wanted;          ///< by the viewer that counts, if the group is private
    bool shed = false;             ///< closes as soon as it serves no viewer
    base::BitRate highest;         ///< rate in the current period
    base::BitRate highest_before;  ///< rate in the period before

    /// The highest rate of the last one to two periods.
    base::BitRate recent_peak() const { return std::max(highest, highest_before); }
  };

  /// `actions` must outlive this object.
  explicit OpenGroups(LadderActions& actions) : actions_{actions} {}

  /// Throws what LadderActions::open throws.
  GroupIndex open(base::BitRate rate, base::Time now);
  /// Returns nullopt if no group can be opened. After a failure it does not try for a second.
  std::optional<GroupIndex> try_open(base::BitRate rate, base::Time now);
  /// Returns an empty group that may be given to a viewer, nullopt if there is none.
  std::optional<GroupIndex> spare() const;
  OpenGroup& at(GroupIndex index) { return groups_.at(index); }
  /// See Ladder::serves_one().
  bool serves_one(GroupIndex index) const;

  /// Sets the group's rate to fit its members. Returns whether the rate has changed.
  bool follow(GroupIndex index, abr::Reason reason);
  /// Returns whether the rate has changed.
  bool set_rate(GroupIndex index, base::BitRate rate, abr::Reason reason);

  /// Call several times per second. Ends departures that are complete, and lets viewers that
  /// collapsed long ago count for the rate of their group again.
  void pass_time(base::Time now);
  /// Sets the rate of each group whose members have changed.
  void update_rates();
  /// Whether viewers have collapsed recently, and at most one of them shares a group: the other
  /// viewers must not lose rate then.
  bool one_fell() const;

  /// Returns the groups that no viewer needs any more. The caller closes and then erases them;
  /// until then their index stays taken.
  std::vector<GroupIndex> start_closing(base::Duration linger, base::Time now);
  void erase(GroupIndex index) { groups_.erase(index); }

  /// The groups that may be given to a viewer: neither shed nor closing. In all of them, viewers
  /// with the best standing in the stream count.
  std::vector<abr::GroupView> views() const;
  abr::Standing best_standing() const;  ///< of a viewer of the stream
  std::size_t size() const;             ///< number of groups that may be given to a viewer
  /// In it, viewers with the best standing in the group count.
  abr::GroupView view(GroupIndex index) const;
  std::map<GroupIndex, Group> state() const;
  std::uint64_t opens_failed() const { return opens_failed_; }
  /// Returns why try_open() failed since the last call; empty if it did not.
  std::string take_open_error() { return std::exchange(open_error_, {}); }

 private:
  static bool is_open(const OpenGroup& group) { return !group.state.closing && !group.shed; }

  LadderActions& actions_;
  std::map<GroupIndex, OpenGroup> groups_;
  base::Time period_began_{};
  std::uint64_t opens_failed_ = 0;
  std::string open_error_;
  base::Time open_again_{};
};

}  // namespace app
