#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "abr/ladder/rate_histogram.h"
#include "abr/ladder/standing.h"
#include "base/units.h"

namespace abr {

/// The viewers that one group serves, by the rate they sustain: its members, and viewers whose
/// membership is in another group by now but who have not switched yet. Computes the rate that
/// serves them. Only those with the best standing in the group count for it. No I/O, no clock.
class GroupMembers {
 public:
  using ViewerId = std::uint64_t;

  /// A collapse of the rate that one viewer sustains.
  struct Fall {
    base::Time at{};
    base::BitRate from;      ///< the group's recent rate
    base::BitRate sustains;  ///< the viewer's rate now
  };

  void join(base::BitRate sustains, Standing standing);
  void change(ViewerId viewer, base::BitRate from, base::BitRate to, Standing standing);
  void change_standing(ViewerId viewer, base::BitRate sustains, Standing from, Standing to);
  void leave(ViewerId viewer, base::BitRate sustains, Standing standing);

  /// A viewer that left is served here until `until`. The viewer keeps the rate of the group,
  /// unless they cannot sustain it or do not `count`.
  void depart(base::BitRate sustains, base::BitRate rate, bool count, base::Time until);
  void end_departures(base::Time now);

  /// A member collapsed, or joined a group that is too fast for them. Repeated reports belong to
  /// the first fall, until the viewer sustains again the rate that they fell from.
  void note_fall(ViewerId viewer, const Fall& fall, Standing standing);
  /// nullopt when the viewer has not fallen, or not recently.
  std::optional<Fall> fall(ViewerId viewer) const;
  std::size_t fallen() const;  ///< viewers that have fallen recently, of those that count
  /// Viewers whose fall is long ago count like any other.
  void forgive(base::Time now);

  /// The members of one standing.
  const RateHistogram& members(Standing standing) const { return members_[index_of(standing)]; }
  /// The best standing of a member. The lowest without members.
  Standing best_standing() const;
  /// The members that count for the rate.
  const RateHistogram& counted() const { return members(best_standing()); }
  /// A single viewer determines the rate.
  bool is_private() const { return counted().viewers() == 1 && leaving_.viewers() == 0; }
  /// A single viewer gets the frames: nobody else is left, not even a viewer that does not count
  /// for the rate.
  bool serves_one() const { return size() == 1 && departures_.empty(); }
  bool is_empty() const { return size() == 0 && departures_.empty(); }

  /// The rate after `current` of a group that has members: shared_rate(), except that
  /// - a viewer that has fallen alone counts as before and does not lower it;
  /// - a crowd's rate does not follow each viewer that sustains a little less: the viewer moves, or
  ///   a plan sets the rate.
  base::BitRate next_rate(base::BitRate current) const;
  /// next_rate() may have changed since settle().
  bool is_stale() const { return stale_ || fallen() > 0; }
  void settle() { stale_ = false; }

 private:
  struct Departure {
    std::optional<base::BitRate> counts;  ///< rate in leaving_; nullopt: does not count
    base::Time until{};
  };
  struct Fallen {
    Fall fall;
    Standing standing = Standing::kUnproven;
    bool forgiven = false;
  };

  std::size_t size() const;

  std::optional<base::BitRate> fallen_alone(base::BitRate rate) const;

  std::array<RateHistogram, kStandings> members_;
  RateHistogram leaving_;
  std::map<ViewerId, Fallen> fallen_;
  std::vector<Departure> departures_;
  bool stale_ = false;
};

}  // namespace abr
