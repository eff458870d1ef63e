#pragma once

#include <algorithm>
#include <vector>

#include "scenario.h"

namespace sim {

/// Of a time until something, when it does not happen before the next change.
inline constexpr base::Duration kNever = base::Duration::max();

/// What became of one viewer's frames, from a time on.
struct Viewing {
  /// From capture to arrival, without the one-way delay (there is none on the way there: see
  /// Simulation); of a frame that never arrives, until the next one that does.
  std::vector<base::Duration> delays;
  base::ByteCount shown;                 ///< video that arrived
  double probed = 0;                     ///< share of padding in what was written, from the start
  base::Duration length{};               ///< the time judged
  std::vector<base::Duration> followed;  ///< after each fall of the capacity; or kNever
  std::vector<base::Duration> returned;  ///< after each rise
};

/// What follows a start, and what is still on its way at the end, are left out.
inline constexpr base::Duration kSettling = std::chrono::seconds{3};
inline constexpr base::Duration kEnd = std::chrono::seconds{2};

/// When each frame is there, or the next one that comes; `end`: none does.
std::vector<base::Time> arrivals(const std::vector<Shown>& frames, base::Time end);

/// `from` since the start.
Viewing view(const std::vector<Shown>& frames, const Scenario& scenario, base::Duration from);
/// Of all viewers, from kSettling after the last has come.
std::vector<Viewing> view_all(Simulation& simulation, const Scenario& scenario);

/// What one viewer would see of a policy that knows the capacity, in the time of view_all().
base::BitRate oracle_rate(const Scenario& scenario);

/// Of all viewers together.
struct Figures {
  base::Duration p50{};
  base::Duration p95{};
  base::Duration p99{};
  base::Duration max{};
  double late = 0;     ///< share of frames with more than kLate
  base::BitRate rate;  ///< that arrived, of each viewer
  /// The longest until the target is within a lower capacity; negative: none was; or kNever.
  base::Duration follow{-1};
  /// Likewise, until the target is 90 % of the oracle's at a higher capacity, and then for 200 ms.
  base::Duration recover{-1};
  double probed = 0;    ///< the largest share of padding
  double fairness = 1;  ///< Jain's index of the viewers' rates
};

inline constexpr base::Duration kLate = std::chrono::milliseconds{200};

Figures summarise(const std::vector<Viewing>& viewings);

/// Of sorted or unsorted values; zero: there are none.
template <typename T>
T percentile(std::vector<T> values, double share) {
  if (values.empty()) return {};
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(index, values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace sim
