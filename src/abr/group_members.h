#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "abr/rate_histogram.h"
#include "base/units.h"

namespace abr {

/// Whom one group serves, by what they sustain: those who have a seat in it, and those who have one
/// elsewhere by now and are on their way. Says what rate serves them. Pure.
class GroupMembers {
 public:
  using ViewerId = std::uint64_t;

  void join(base::BitRate sustains);
  void change(ViewerId viewer, base::BitRate from, base::BitRate to);
  void leave(ViewerId viewer, base::BitRate sustains);

  /// One who left is served here until then, at the rate that he has had if he can sustain it, and
  /// has not fallen.
  void depart(base::BitRate sustains, base::BitRate rate, bool fell, base::Time until);
  void end_departures(base::Time now);

  /// One who is seated here collapsed at that time, or came to a group too fast for him.
  void note_fall(ViewerId viewer, base::BitRate sustains, base::Time at);
  /// Empty: he has not, or it is long ago.
  std::optional<base::Time> fell(ViewerId viewer) const;
  std::size_t fallen() const { return falls_.size(); }
  /// Whose fall is long ago counts as anybody else.
  void forgive(base::Time now);

  const RateHistogram& seated() const { return seated_; }
  /// One viewer, whose rate is nobody else's business.
  bool is_private() const { return seated_.viewers() == 1 && leaving_.viewers() == 0; }
  bool is_empty() const { return seated_.viewers() == 0 && departures_.empty(); }

  /// The rate after `current`, of a group with somebody seated: shared_rate, but
  /// - one who has fallen alone does not lower it: he counts as before;
  /// - a crowd's does not follow each viewer who comes to sustain a little less: he moves, or a
  ///   plan sets the rate.
  base::BitRate next_rate(base::BitRate current) const;
  /// That may have changed since settle().
  bool is_stale() const { return stale_ || !falls_.empty(); }
  void settle() { stale_ = false; }

 private:
  struct Departure {
    std::optional<base::BitRate> counts;  ///< in leaving_
    base::Time until{};
  };
  struct Fall {
    base::Time at{};
    base::BitRate sustains;
  };

  std::optional<base::BitRate> fallen_alone(base::BitRate rate) const;

  RateHistogram seated_;
  RateHistogram leaving_;
  std::map<ViewerId, Fall> falls_;
  std::vector<Departure> departures_;
  bool stale_ = false;
};

}  // namespace abr
