#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "abr/ladder/rate_histogram.h"
#include "base/units.h"

namespace abr {

/// Whom one group serves, by what they sustain: those who have a membership in it, and those who
/// have one elsewhere by now and are on their way. Says what rate serves them. Pure.
class GroupMembers {
 public:
  using ViewerId = std::uint64_t;

  /// Of what one viewer sustains.
  struct Fall {
    base::Time at{};
    base::BitRate from;      ///< what the group had lately
    base::BitRate sustains;  ///< now
  };

  void join(base::BitRate sustains);
  void change(ViewerId viewer, base::BitRate from, base::BitRate to);
  void leave(ViewerId viewer, base::BitRate sustains);

  /// One who left is served here until then, at the rate that he has had if he can sustain it, and
  /// has not fallen.
  void depart(base::BitRate sustains, base::BitRate rate, bool fell, base::Time until);
  void end_departures(base::Time now);

  /// One who is seated here has collapsed, or came to a group too fast for him. However often it is
  /// said, the fall is the first one until he sustains again what he fell from.
  void note_fall(ViewerId viewer, const Fall& fall);
  /// Empty: he has not, or it is long ago.
  std::optional<Fall> fall(ViewerId viewer) const;
  std::size_t fallen() const;
  /// Whose fall is long ago counts as anybody else.
  void forgive(base::Time now);

  const RateHistogram& members() const { return members_; }
  /// One viewer, whose rate is nobody else's business.
  bool is_private() const { return members_.viewers() == 1 && leaving_.viewers() == 0; }
  /// Nor are its frames: those who do not count for the rate are gone as well.
  bool serves_one() const { return members_.viewers() == 1 && departures_.empty(); }
  bool is_empty() const { return members_.viewers() == 0 && departures_.empty(); }

  /// The rate after `current`, of a group with somebody seated: shared_rate, but
  /// - one who has fallen alone does not lower it: he counts as before;
  /// - a crowd's does not follow each viewer who comes to sustain a little less: he moves, or a
  ///   plan sets the rate.
  base::BitRate next_rate(base::BitRate current) const;
  /// That may have changed since settle().
  bool is_stale() const { return stale_ || fallen() > 0; }
  void settle() { stale_ = false; }

 private:
  struct Departure {
    std::optional<base::BitRate> counts;  ///< in leaving_
    base::Time until{};
  };
  struct Fallen {
    Fall fall;
    bool forgiven = false;
  };

  std::optional<base::BitRate> fallen_alone(base::BitRate rate) const;

  RateHistogram members_;
  RateHistogram leaving_;
  std::map<ViewerId, Fallen> fallen_;
  std::vector<Departure> departures_;
  bool stale_ = false;
};

}  // namespace abr
