#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abr/reason.h"
#include "abr/settings.h"
#include "base/units.h"

namespace abr {

/// One encode group as the policy sees it.
struct GroupView {
  std::uint32_t group = 0;
  base::BitRate rate;
  std::size_t viewers = 0;
};

/// One viewer in its group.
struct SeatView {
  std::uint32_t group = 0;
  base::BitRate sustains;  ///< the viewer's RatePolicy's last word
  base::Time since{};      ///< when the viewer came into the group
};

/// A viewer's next group; empty: a new one.
struct Move {
  std::optional<std::uint32_t> group;
  Reason reason = Reason::kMoveDown;
};

/// Which viewer in which group, and each group's rate. Pure.
///
/// Each viewer has a private group while there are fewer than `max`; then newcomers share the best
/// group they sustain. A shared group's rate is what nearly all its viewers sustain, so one bad
/// viewer lowers nobody's rate: he moves to a group he sustains, or skips pictures.
class GroupPolicy {
 public:
  /// `max_groups` is at least 1.
  explicit GroupPolicy(std::size_t max_groups) : max_groups_{max_groups} {}

  /// The group for a newcomer; empty: a new one.
  std::optional<std::uint32_t> place(base::BitRate sustains,
                                     std::span<const GroupView> groups) const;

  /// The group for one who must share: the best he sustains, else the slowest; empty: no groups.
  static std::optional<std::uint32_t> share(base::BitRate sustains,
                                            std::span<const GroupView> groups);

  /// The rate of a group whose members sustain `members` (at least one).
  base::BitRate rate(std::vector<base::BitRate> members) const;

  /// Whether a viewer should change group, and why.
  std::optional<Move> reconsider(const SeatView& seat, std::span<const GroupView> groups,
                                 base::Time now) const;

 private:
  std::size_t max_groups_;
};

}  // namespace abr
