#include <fmt/format.h>

#include <algorithm>

#include "dice.h"
#include "scenario.h"

namespace sim {

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::Duration;

constexpr double kMinLinkRate = 0.8;  // Mbit/s
constexpr double kMaxLinkRate = 20;
// Routers' queues hold at least an initial window (RFC 6928).
constexpr base::ByteCount kMinQueue{10 * 1500};
constexpr Duration kFirstStepTime = 12s;
constexpr Duration kStepInterval = 10s;

/// Zero to three steps of x0.2 to x5.
std::vector<Simulation::Change> draw_steps(Dice& dice, netlab::LinkSettings link) {
  std::vector<Simulation::Change> changes;
  const auto count = static_cast<int>(dice.uniform(0, 4));
  double mbps = static_cast<double>(link.rate.bps()) / 1e6;
  for (int i = 0; i < count; ++i) {
    mbps = std::clamp(mbps * dice.log_uniform(0.2, 5), kMinLinkRate, kMaxLinkRate);
    link.rate = BitRate::mbps(mbps);
    const auto at = kFirstStepTime + i * kStepInterval + base::from_seconds(dice.uniform(0, 5));
    changes.push_back({at, link});
  }
  return changes;
}

void roughen(Dice& dice, Scenario& scenario) {
  const double kind = dice.uniform(0, 1);
  if (kind < 0.25) scenario.viewer.acks.aggregate = base::from_seconds(dice.uniform(0.005, 0.02));
  if (kind > 0.75) scenario.viewer.eager = false;
  scenario.link.codel = dice.chance(0.2);
}

}  // namespace

Scenario random_scenario(std::uint64_t seed, const RandomFeatures& features) {
  Dice dice{seed};
  Scenario scenario{.name = fmt::format("random-{}", seed), .link = {}};
  auto& link = scenario.link;
  link.rate = BitRate::mbps(dice.log_uniform(kMinLinkRate, kMaxLinkRate));
  link.queue = std::max(kMinQueue, link.rate * base::from_seconds(dice.log_uniform(0.015, 1)));
  scenario.viewer.round_trip = base::from_seconds(dice.log_uniform(0.005, 0.25));
  scenario.viewer.congestion_control = dice.chance(0.5) ? "bbr" : "cubic";
  scenario.limits.max = BitRate::mbps(dice.log_uniform(2, 12));
  const double loss = dice.chance(0.5) ? dice.uniform(0, 0.01) : 0;
  const bool beside = dice.chance(0.2);
  const Simulation::Flow other{.congestion_control = dice.chance(0.5) ? "bbr" : "cubic",
                               .round_trip = scenario.viewer.round_trip,
                               .start = 10s,
                               .stop = 40s};
  if (features.loss) link.loss = loss;
  if (features.others && beside) scenario.others = {other};
  if (features.rough) roughen(dice, scenario);
  if (features.steps) {
    Dice of_steps{~seed};
    scenario.changes = draw_steps(of_steps, link);
  }
  return scenario;
}

}  // namespace sim
