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
#include "abr/reason.h"
#include "app/stream/ladder_actions.h"
#include "base/units.h"

namespace app {

/// The encode groups of one stream that are open: the rate that each is asked for, and whom it
/// serves. Owned by the ladder, used with its lock held.
class OpenGroups {
 public:
  static constexpr base::Duration kLately = std::chrono::seconds{2};

  /// What others may know of a group.
  struct Group {
    base::BitRate rate;
    abr::Reason reason = abr::Reason::kStart;  ///< of the rate
    std::size_t viewers = 0;
    base::Time empty_since{};
    bool closing = false;
  };

  struct OpenGroup {
    Group state;
    abr::GroupMembers members;
    base::BitRate wanted;   ///< by the viewer of a private group, at the moment
    bool shed = false;      ///< closes as soon as nobody is served by it
    base::BitRate highest;  ///< rate of the present second
    base::BitRate highest_before;

    /// The highest of the last one to two seconds, kLately.
    base::BitRate lately() const { return std::max(highest, highest_before); }
  };

  /// `actions` must outlive it.
  explicit OpenGroups(LadderActions& actions) : actions_{actions} {}

  /// Throws what LadderActions::open throws.
  GroupIndex open(base::BitRate rate, base::Time now);
  /// Empty: none can be had now; after a failure for a second, without trying.
  std::optional<GroupIndex> try_open(base::BitRate rate, base::Time now);
  std::optional<GroupIndex> spare() const;
  OpenGroup& at(GroupIndex index) { return groups_.at(index); }
  bool serves_one(GroupIndex index) const;

  /// The group's rate as its members are now. True when it has changed.
  bool follow(GroupIndex index, abr::Reason reason);
  /// Likewise.
  bool set_rate(GroupIndex index, base::BitRate rate, abr::Reason reason);

  /// Several times per second: who is on his way has arrived, who has been slow for long is slow.
  void pass_time(base::Time now);
  void update_rates();
  /// Viewers have collapsed lately, of those who share a group one at most: nobody is to pay for
  /// it.
  bool one_fell() const;

  /// Those that nobody needs any more: to be closed, then erased. Until then the index stays taken.
  std::vector<GroupIndex> start_closing(base::Duration linger, base::Time now);
  void erase(GroupIndex index) { groups_.erase(index); }

  /// Of those that may be given to a viewer.
  std::vector<abr::GroupView> views() const;
  std::size_t size() const;  ///< how many those are
  abr::GroupView view(GroupIndex index) const;
  std::map<GroupIndex, Group> state() const;
  std::uint64_t opens_failed() const { return opens_failed_; }
  /// Why try_open() failed last, since the last call. Empty when it did not.
  std::string take_open_error() { return std::exchange(open_error_, {}); }

 private:
  static bool is_open(const OpenGroup& group) { return !group.state.closing && !group.shed; }

  LadderActions& actions_;
  std::map<GroupIndex, OpenGroup> groups_;
  base::Time second_{};  ///< when the present one began
  std::uint64_t opens_failed_ = 0;
  std::string open_error_;
  base::Time open_again_{};
};

}  // namespace app
