#include "figures.h"

#include <iterator>

#include "oracle_policy.h"

namespace sim {

namespace {

using namespace std::chrono_literals;

// A change that lasts as long as that, and by that much, is one to follow.
constexpr base::Duration kLasting = 2s;
constexpr double kFall = 0.8;
constexpr double kRise = 1.25;
constexpr double kRecovered = 0.9;
constexpr base::Duration kHeld = 200ms;  // a single frame's target may be a peak

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
    if (end - changes[i].at < kLasting) continue;
    result.push_back({changes[i].at, end, scenario.payload(changes[i].at - 1ns),
                      scenario.payload(changes[i].at)});
  }
  return result;
}

/// After what time `reached` is true of a frame's target and then holds for so long.
template <typename Reached>
base::Duration time_until(const std::vector<Shown>& frames, const Change& change,
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

void note_changes(const std::vector<Shown>& frames, const Scenario& scenario, Viewing& viewing) {
  for (const auto& change : lasting_changes(scenario)) {
    if (change.after < kFall * change.before) {
      const auto most = std::max(scenario.limits.min, kTransport.video(change.after));
      viewing.followed.push_back(time_until(frames, change, {}, [&](base::BitRate target) {
        return std::min(target, scenario.encoder.content) <= most;
      }));
    } else if (change.after > kRise * change.before) {
      const auto least = kRecovered * OraclePolicy::rate(change.after, scenario.limits, kTransport);
      viewing.returned.push_back(
          time_until(frames, change, kHeld, [&](base::BitRate target) { return target >= least; }));
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

base::Duration longest(base::Duration so_far, const std::vector<base::Duration>& times) {
  return times.empty() ? so_far : std::max(so_far, *std::ranges::max_element(times));
}

}  // namespace

std::vector<base::Time> arrivals(const std::vector<Shown>& frames, base::Time end) {
  std::vector<base::Time> result(frames.size());
  for (std::size_t i = frames.size(); i-- > 0;) {
    end = frames[i].arrived.value_or(end);
    result[i] = end;
  }
  return result;
}

Viewing view(const std::vector<Shown>& frames, const Scenario& scenario, base::Duration from) {
  Viewing viewing{.length = scenario.length - kEnd - from};
  const auto there = arrivals(frames, Simulation::kStart + scenario.length);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto& frame = frames[i];
    const auto at = frame.captured - Simulation::kStart;
    if (at < from || at > scenario.length - kEnd) continue;
    viewing.delays.push_back(there[i] - frame.captured);
    if (frame.arrived) viewing.shown += frame.size;
  }
  note_changes(frames, scenario, viewing);
  return viewing;
}

std::vector<Viewing> view_all(Simulation& simulation, const Scenario& scenario) {
  std::vector<Viewing> viewings;
  for (std::size_t i = 0; i < scenario.viewers; ++i) {
    const auto& session = *simulation.session(i);
    viewings.push_back(view(session.shown(), scenario, scenario.last_start() + kSettling));
    viewings.back().probed = static_cast<double>(session.padding().bytes()) /
                             static_cast<double>(session.written().bytes());
  }
  return viewings;
}

base::BitRate oracle_rate(const Scenario& scenario) {
  const auto from = scenario.last_start() + kSettling;
  const auto interval = VideoSession::Settings{}.frame_interval;
  base::ByteCount shown;
  for (base::Duration at = from; at < scenario.length - kEnd; at += interval) {
    const auto rate = OraclePolicy::rate(scenario.payload(at), scenario.limits, kTransport);
    shown += std::min(rate, scenario.encoder.content) * interval;
  }
  return scenario.encoder.mean_share() * base::BitRate::of(shown, scenario.length - kEnd - from);
}

Figures summarise(const std::vector<Viewing>& viewings) {
  Figures figures{.fairness = jain(viewings)};
  std::vector<base::Duration> delays;
  base::ByteCount shown;
  for (const auto& viewing : viewings) {
    delays.insert(delays.end(), viewing.delays.begin(), viewing.delays.end());
    shown += viewing.shown;
    figures.probed = std::max(figures.probed, viewing.probed);
    figures.follow = longest(figures.follow, viewing.followed);
    figures.recover = longest(figures.recover, viewing.returned);
  }
  figures.p50 = percentile(delays, 0.5);
  figures.p95 = percentile(delays, 0.95);
  figures.p99 = percentile(delays, 0.99);
  figures.max = percentile(delays, 1);
  const auto late = std::ranges::count_if(delays, [](base::Duration d) { return d > kLate; });
  figures.late = static_cast<double>(late) / static_cast<double>(delays.size());
  figures.rate = base::BitRate::of(
      shown, viewings.front().length * static_cast<std::int64_t>(viewings.size()));
  return figures;
}

}  // namespace sim
