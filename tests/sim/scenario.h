#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulation.h"

namespace sim {

/// A link, what becomes of it, and who uses it: viewers of ours, and bulk flows.
struct Scenario {
  std::string name;
  netlab::LinkSettings link;
  std::vector<Simulation::Change> changes{};  ///< in the order of time
  Simulation::Flow viewer{};                  ///< of each; its `video` is left to the run
  std::size_t viewers = 1;
  std::vector<Simulation::Flow> others{};
  EncoderModel::Settings encoder{};
  abr::RateLimits limits{.max = base::BitRate::mbps(6)};
  base::Duration length = std::chrono::seconds{60};

  /// The viewers come one after another.
  static constexpr base::Duration kBetweenViewers = std::chrono::seconds{3};
  base::Duration start_of(std::size_t number) const {
    return kBetweenViewers * static_cast<int>(number);
  }
  base::Duration last_start() const { return start_of(viewers - 1); }

  /// One viewer's fair share of what the link carries, as TCP's payload; `at` since the start.
  base::BitRate payload(base::Duration at) const;
  /// The link, in one line.
  std::string describe() const;
};

using MakePolicy = std::function<std::unique_ptr<abr::RatePolicy>(const Scenario&)>;

MakePolicy policy_of(abr::PolicyKind kind);
/// `lags`: by the round trip and a frame that nobody can be without.
MakePolicy oracle(bool lags);

/// Flows 0 to viewers-1 are ours.
Simulation simulate(const Scenario& scenario, const MakePolicy& policy, std::uint64_t seed);

/// Those of the table.
std::vector<Scenario> scenarios();

/// What random_scenario() may draw.
struct Drawn {
  bool loss = true;
  bool steps = true;
  bool others = true;
  bool rough = true;  ///< aggregated or delayed acknowledgements, CoDel
};
/// A link of 0.8 to 20 Mbit/s, 5 to 250 ms and 15 ms to 1 s of queue; `drawn` changes nothing else
/// in what a seed gives.
Scenario random_scenario(std::uint64_t seed, const Drawn& drawn = {});

}  // namespace sim
