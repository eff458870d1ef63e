#include "figures.h"

#include <cmath>
#include <iterator>
#include <optional>

#include "abr/networks/experience.h"
#include "oracle_policy.h"

namespace sim {

namespace {

using namespace std::chrono_literals;

// A change of the capacity counts if it lasts this long and exceeds one of these ratios.
constexpr base::Duration kMinChangeTime = 2s;
constexpr double kFallRatio = 0.8;
constexpr double kRiseRatio = 1.25;
// Share of the oracle's rate that has to be reached after a rise, and held for this long: a single
// frame's target may be a peak.
constexpr double kReturnedShare = 0.9;
constexpr base::Duration kReturnHoldTime = 200ms;

abr::Transport transport(const Scenario& scenario) {
  return scenario.container.transport(VideoSession::Settings{}.frame_interval);
}

struct Change {
  base::Duration at;
  base::Duration end;
  base::BitRate before;  ///< TCP's payload
  base::BitRate after;
};

std::vector<Change> lasting_changes(const Scenario& scenario) {
  std::vector<Change> result;
  const auto& changes = scenario.changes;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto end = i + 1 < changes.size() ? changes[i + 1].at : scenario.length;
    if (end - changes[i].at < kMinChangeTime) continue;
    result.push_back({changes[i].at, end, scenario.payload(changes[i].at - 1ns),
                      scenario.payload(changes[i].at)});
  }
  return result;
}

/// The time after which `reached` is true of a frame's target, and stays true for `holds`.
template <typename Reached>
base::Duration time_until(const std::vector<FrameRecord>& frames, const Change& change,
                          base::Duration holds, Reached reached) {
  std::optional<base::Duration> since;
  for (const auto& frame : frames) {
    const auto at = frame.captured - Simulation::kStart;
    if (at >= change.end) break;
    if (at < change.at) continue;
    if (!reached(frame.target)) {
      since.reset();
      continue;
    }
    since = since.value_or(at);
    if (at - *since >= holds) return *since - change.at;
  }
  return kNever;
}

void note_changes(const std::vector<FrameRecord>& frames, const Scenario& scenario,
                  Viewing& viewing) {
  for (const auto& change : lasting_changes(scenario)) {
    if (change.after < kFallRatio * change.before) {
      const auto most = std::max(scenario.limits.min, transport(scenario).video(change.after));
      viewing.followed.push_back(time_until(frames, change, {}, [&](base::BitRate target) {
        return std::min(target, scenario.encoder.content) <= most;
      }));
    } else if (change.after > kRiseRatio * change.before) {
      const auto least =
          kReturnedShare * OraclePolicy::rate(change.after, scenario.limits, transport(scenario));
      viewing.returned.push_back(time_until(frames, change, kReturnHoldTime,
                                            [&](base::BitRate target) { return target >= least; }));
    }
  }
}

/// (Σx)² / (n Σx²)
double jain(const std::vector<Viewing>& viewings) {
  double sum = 0;
  double squares = 0;
  for (const auto& viewing : viewings) {
    const auto shown = static_cast<double>(viewing.shown.bits());
    sum += shown;
    squares += shown * shown;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(viewings.size()) * squares) : 0;
}

bool judges(const Scenario& scenario, base::Duration from, const FrameRecord& frame) {
  const auto at = frame.captured - Simulation::kStart;
  return at >= from && at <= scenario.length - kEndTime;
}

std::vector<base::Duration> delays(const std::vector<FrameRecord>& frames, const Scenario& scenario,
                                   base::Duration from) {
  std::vector<base::Duration> result;
  const auto there = arrivals(frames, Simulation::kStart + scenario.length);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (judges(scenario, from, frames[i])) result.push_back(there[i] - frames[i].captured);
  }
  return result;
}

base::Duration longest(base::Duration so_far, const std::vector<base::Duration>& times) {
  return times.empty() ? so_far : std::max(so_far, *std::ranges::max_element(times));
}

}  // namespace

std::vector<base::Time> arrivals(const std::vector<FrameRecord>& frames, base::Time end) {
  std::vector<base::Time> result(frames.size());
  for (std::size_t i = frames.size(); i-- > 0;) {
    end = frames[i].arrived.value_or(end);
    result[i] = end;
  }
  return result;
}

Viewing view(const std::vector<FrameRecord>& frames, const Scenario& scenario,
             base::Duration from) {
  Viewing viewing{.length = scenario.length - kEndTime - from};
  viewing.seconds.resize(static_cast<std::size_t>(viewing.length / 1s));
  viewing.delays = delays(frames, scenario, from);
  for (const auto& frame : frames) {
    const auto at = frame.captured - Simulation::kStart;
    if (!frame.arrived || !judges(scenario, from, frame)) continue;
    viewing.shown += frame.size;
    const auto second = static_cast<std::size_t>((at - from) / 1s);
    if (second < viewing.seconds.size()) viewing.seconds[second] += frame.size;
  }
  note_changes(frames, scenario, viewing);
  return viewing;
}

std::vector<Viewing> view_all(Simulation& simulation, const Scenario& scenario) {
  const auto from = scenario.last_start() + kSettlingTime;
  std::vector<Viewing> viewings;
  for (std::size_t i = 0; i < scenario.viewers; ++i) {
    const auto& session = *simulation.session(i);
    viewings.push_back(view(session.frames(), scenario, from));
    viewings.back().audio_delays = delays(session.audio(), scenario, from);
    viewings.back().probed = static_cast<double>(session.padding().bytes()) /
                             static_cast<double>(session.written().bytes());
  }
  return viewings;
}

base::BitRate oracle_rate(const Scenario& scenario) {
  const auto from = scenario.last_start() + kSettlingTime;
  const auto interval = VideoSession::Settings{}.frame_interval;
  base::ByteCount shown;
  for (base::Duration at = from; at < scenario.length - kEndTime; at += interval) {
    const auto rate =
        OraclePolicy::rate(scenario.payload(at), scenario.limits, transport(scenario));
    shown += std::min(rate, scenario.encoder.content) * interval;
  }
  return scenario.encoder.mean_share() *
         base::BitRate::of(shown, scenario.length - kEndTime - from);
}

base::Duration stalled(const std::vector<base::Duration>& delays, base::Duration interval,
                       base::Duration playout) {
  base::Duration total{};
  base::Duration due = playout;
  base::Duration moves_at{};  // no frame is missing before
  for (const auto delay : delays) {
    const auto arrives = due - playout + delay;
    if (arrives > due) total += std::max(base::Duration{}, arrives - std::max(due, moves_at));
    moves_at = std::max(moves_at, arrives);
    due += interval;
  }
  return total;
}

double quality_of_experience(const Viewing& viewing, base::BitRate least, base::Duration interval,
                             base::Duration playout) {
  double sum = 0;
  std::optional<double> before;
  for (const auto shown : viewing.seconds) {
    const auto quality = std::log(std::max(1.0, base::BitRate::of(shown, 1s) / least));
    sum += quality - std::abs(quality - before.value_or(quality));
    before = quality;
  }
  const auto stands = base::seconds(stalled(viewing.delays, interval, playout));
  return (sum - abr::kLatePenalty * stands) / static_cast<double>(viewing.seconds.size());
}

Figures summarise(const std::vector<Viewing>& viewings) {
  Figures figures{.fairness = jain(viewings)};
  std::vector<base::Duration> delays, audio;
  base::ByteCount shown;
  for (const auto& viewing : viewings) {
    delays.insert(delays.end(), viewing.delays.begin(), viewing.delays.end());
    audio.insert(audio.end(), viewing.audio_delays.begin(), viewing.audio_delays.end());
    shown += viewing.shown;
    figures.probed = std::max(figures.probed, viewing.probed);
    figures.follow = longest(figures.follow, viewing.followed);
    figures.recover = longest(figures.recover, viewing.returned);
  }
  figures.p50 = percentile(delays, 0.5);
  figures.p95 = percentile(delays, 0.95);
  figures.p99 = percentile(delays, 0.99);
  figures.max = percentile(delays, 1);
  figures.audio = percentile(audio, 0.95);
  const auto late = std::ranges::count_if(delays, [](base::Duration d) { return d > kLateDelay; });
  figures.late = static_cast<double>(late) / static_cast<double>(delays.size());
  figures.rate = base::BitRate::of(
      shown, viewings.front().length * static_cast<std::int64_t>(viewings.size()));
  return figures;
}

}  // namespace sim
