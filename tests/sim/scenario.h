#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulation.h"

namespace sim {

/// A link, its changes, and its users: viewers of ours and bulk flows.
struct Scenario {
  std::string name;
  netlab::LinkSettings link;
  std::vector<Simulation::Change> changes{};  ///< in order of time
  Simulation::Flow viewer{};                  ///< each viewer's; simulate() sets its `video`
  std::size_t viewers = 1;
  std::vector<std::string> begin{};  ///< the start of each viewer's "auto"; BBR if empty
  bool shared_group = false;         ///< VideoSession::Settings::shared_group of each viewer
  bool watches_rtt = true;           ///< VideoSession::Settings::watches_rtt of each viewer
  std::vector<Simulation::Flow> others{};
  EncoderModel::Settings encoder{};
  Container container = kMpegTs;
  abr::RateLimits limits{.max = base::BitRate::mbps(6)};
  base::Duration length = std::chrono::seconds{60};

  /// Viewers join one after another.
  static constexpr base::Duration kViewerInterval = std::chrono::seconds{3};
  base::Duration start_of(std::size_t number) const {
    return kViewerInterval * static_cast<int>(number);
  }
  base::Duration last_start() const { return start_of(viewers - 1); }

  /// One viewer's fair share of the link, as TCP payload; flows that load pages take none of it.
  /// `at`: time since the start.
  base::BitRate payload(base::Duration at) const;
  /// Describes the link in one line.
  std::string describe() const;
};

using MakePolicy = std::function<std::unique_ptr<abr::RatePolicy>(const Scenario&)>;

MakePolicy policy_of(abr::PolicyKind kind);
/// `lags`: knows the capacity a round trip and a frame late, the least that a sender can.
MakePolicy oracle(bool lags);

/// Flows 0 to viewers-1 are our viewers.
Simulation simulate(const Scenario& scenario, const MakePolicy& policy, std::uint64_t seed);

/// The scenarios of sim_table.
std::vector<Scenario> scenarios();

/// Features that random_scenario() may draw.
struct RandomFeatures {
  bool loss = true;
  bool steps = true;
  bool others = true;
  bool rough = true;  ///< aggregated or delayed ACKs, CoDel
};
/// A link of 0.8 to 20 Mbit/s, 5 to 250 ms and 15 ms to 1 s of queue. `features` changes nothing
/// else that a seed determines.
Scenario random_scenario(std::uint64_t seed, const RandomFeatures& features = {});

}  // namespace sim
