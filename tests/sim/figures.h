#pragma once

#include <algorithm>
#include <vector>

#include "scenario.h"

namespace sim {

/// The time until an event that does not happen before the next change.
inline constexpr base::Duration kNever = base::Duration::max();

/// The results of one viewer, from a given time on.
struct Viewing {
  /// From capture to arrival, without the one-way delay (the simulated way there has none, see
  /// Simulation). A frame that never arrives counts until the next one that does.
  std::vector<base::Duration> delays;
  /// The same of the audio of each frame interval, of view_all() only.
  std::vector<base::Duration> audio_delays;
  base::ByteCount shown;                 ///< video that arrived
  std::vector<base::ByteCount> seconds;  ///< the same by the second of capture; whole seconds only
  double probed = 0;                     ///< share of padding in all written bytes
  base::Duration length{};               ///< time that is judged
  std::vector<base::Duration> followed;  ///< time to follow each fall of the capacity, or kNever
  std::vector<base::Duration> returned;  ///< time to follow each rise, or kNever
};

/// The time after a start and the time before the end are not judged: the rate settles, and the
/// last frames are still on their way.
inline constexpr base::Duration kSettlingTime = std::chrono::seconds{3};
inline constexpr base::Duration kEndTime = std::chrono::seconds{2};

/// When each frame, or each piece of audio, arrived or, if it did not, the next one that did; `end`
/// after the last of them.
std::vector<base::Time> arrivals(const std::vector<FrameRecord>& frames, base::Time end);

/// Judges the frames from `from` on, a time since the start.
Viewing view(const std::vector<FrameRecord>& frames, const Scenario& scenario, base::Duration from);
/// Judges all viewers, from kSettlingTime after the last one has joined.
std::vector<Viewing> view_all(Simulation& simulation, const Scenario& scenario);

/// The rate that one viewer would get from a policy that knows the capacity, in the time of
/// view_all().
base::BitRate oracle_rate(const Scenario& scenario);

/// The results of all viewers together.
struct Figures {
  base::Duration p50{};
  base::Duration p95{};
  base::Duration p99{};
  base::Duration max{};
  base::Duration audio{};  ///< 95th percentile of the audio's delay
  double late = 0;         ///< share of frames with a longer delay than kLateDelay
  base::BitRate rate;      ///< of the video that arrived, per viewer
  /// The longest time until the target was within a lower capacity, or kNever. Negative if the
  /// capacity never fell.
  base::Duration follow{-1};
  /// The longest time until the target was 90 % of the oracle's at a higher capacity, and stayed
  /// there for 200 ms, or kNever. Negative if the capacity never rose.
  base::Duration recover{-1};
  double probed = 0;    ///< the largest share of padding
  double fairness = 1;  ///< Jain's index of the viewers' rates
};

inline constexpr base::Duration kLateDelay = std::chrono::milliseconds{200};

Figures summarise(const std::vector<Viewing>& viewings);

/// The time for which the picture stands still at a player that shows each frame `playout` after
/// its capture, or as soon as it comes. `delays`: as in Viewing, one for each `interval`.
base::Duration stalled(const std::vector<base::Duration>& delays, base::Duration interval,
                       base::Duration playout);

/// The quality of experience of one viewer: QoE_log of Mao, Netravali and Alizadeh 2017 (Pensieve,
/// section 5.1), the mean over the seconds of
///
///   ln(rate / least) - |its change since the second before| - 2.66 * seconds of standing picture
///
/// `playout` and `interval`: as for stalled(). A second below the rate `least` counts as `least`.
double quality_of_experience(const Viewing& viewing, base::BitRate least, base::Duration interval,
                             base::Duration playout);

/// The values need not be sorted. Zero if there are none.
template <typename T>
T percentile(std::vector<T> values, double share) {
  if (values.empty()) return {};
  const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::min(index, values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace sim
