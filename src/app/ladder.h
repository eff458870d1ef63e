#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "abr/group_policy.h"
#include "abr/rate_policy.h"
#include "base/units.h"
#include "media/frame.h"

namespace app {

/// The encode groups of one stream and who sits in which: turns each viewer's decision into group
/// rates and moves, as abr::GroupPolicy says. Thread-safe; called when something changes, not per
/// frame.
class Ladder {
 public:
  using GroupIndex = std::uint32_t;
  using ViewerId = std::uint64_t;

  /// What the ladder does to the world; called with its lock held, except `close`.
  struct Actions {
    /// May throw: then there is no such group.
    std::function<void(GroupIndex, base::BitRate)> open;
    /// Told when `open` threw and the ladder goes on without.
    std::function<void(const std::exception&)> open_failed;
    std::function<void(GroupIndex)> close;
    std::function<void(GroupIndex, base::BitRate)> retarget;
    /// The pts from which the group has a keyframe, at least so long after now.
    std::function<media::Pts(GroupIndex, base::Duration)> schedule_keyframe;
    std::function<void(ViewerId, GroupIndex, media::Pts, abr::Reason)> move;
  };

  struct Group {
    base::BitRate rate;
    abr::Reason reason = abr::Reason::kStart;  ///< of the rate
    std::size_t viewers = 0;
    base::Time empty_since{};
    bool closing = false;
    bool stale = false;  ///< its viewers' rates have changed since `rate` was computed
  };

  struct State {
    std::map<GroupIndex, Group> groups;
    std::uint64_t moves_down = 0;
    std::uint64_t moves_up = 0;
    std::uint64_t opens_failed = 0;
  };

  Ladder(abr::GroupSettings settings, Actions actions);

  /// Seats a newcomer; his group makes a keyframe at once. Throws what Actions::open throws when
  /// there is no other group to share.
  GroupIndex join(ViewerId viewer, base::BitRate sustains, base::Time now);
  /// What the viewer can take has changed. True when a group's rate follows at once: the viewer's
  /// private one.
  bool report(ViewerId viewer, abr::Decision decision, base::Time now);
  void leave(ViewerId viewer, base::Time now);
  /// Several times per second: rates of shared groups, moves that had to dwell, empty groups. A
  /// private group's rate does not wait for it.
  void tick(base::Time now);
  State state() const;

 private:
  struct Seat {
    GroupIndex group = 0;
    base::BitRate sustains;
    base::Time since{};
  };

  GroupIndex group_for(base::BitRate sustains, base::Time now);
  GroupIndex open(base::BitRate rate, base::Time now);
  std::optional<GroupIndex> try_open(base::BitRate rate, base::Time now);
  bool consider_move(ViewerId viewer, Seat& seat, std::span<const abr::GroupView> views,
                     base::Time now);
  void seat(ViewerId viewer, Seat seat, abr::Reason reason);
  void unseat(const Seat& seat, base::Time now);
  bool member_changed(const Seat& seat, abr::Reason reason);
  bool set_rate(GroupIndex index, base::BitRate rate, abr::Reason reason);
  void update_shared_rates();
  void reconsider_seats(base::Time now);
  std::vector<GroupIndex> start_closing(base::Time now);
  std::vector<abr::GroupView> views() const;

  const base::Duration linger_;
  const abr::GroupPolicy policy_;
  const Actions actions_;
  mutable std::mutex mutex_;
  std::map<GroupIndex, Group> groups_;  // GUARDED_BY(mutex_)
  std::map<ViewerId, Seat> seats_;      // GUARDED_BY(mutex_)
  std::uint64_t moves_down_ = 0;        // GUARDED_BY(mutex_)
  std::uint64_t moves_up_ = 0;          // GUARDED_BY(mutex_)
  std::uint64_t opens_failed_ = 0;      // GUARDED_BY(mutex_)
};

}  // namespace app
