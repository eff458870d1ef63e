#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "scenario.h"

namespace sim {

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::Duration;

constexpr double kSlowest = 0.8;  // Mbit/s
constexpr double kFastest = 20;
// A queue that does not hold an initial window (RFC 6928) is no router's.
constexpr base::ByteCount kLeastQueue{10 * 1500};
constexpr Duration kFirstStep = 12s;
constexpr Duration kBetweenSteps = 10s;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_{seed} {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<>{low, high}(random_);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  bool chance(double probability) { return uniform(0, 1) < probability; }

 private:
  std::mt19937_64 random_;
};

/// None to three steps of x0.2 to x5.
std::vector<Simulation::Change> draw_steps(Dice& dice, netlab::LinkSettings link) {
  std::vector<Simulation::Change> changes;
  const auto count = static_cast<int>(dice.uniform(0, 4));
  double mbps = static_cast<double>(link.rate.bps()) / 1e6;
  for (int i = 0; i < count; ++i) {
    mbps = std::clamp(mbps * dice.log_uniform(0.2, 5), kSlowest, kFastest);
    link.rate = BitRate::mbps(mbps);
    const auto at = kFirstStep + i * kBetweenSteps + base::from_seconds(dice.uniform(0, 5));
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

Scenario random_scenario(std::uint64_t seed, const Drawn& drawn) {
  Dice dice{seed};
  Scenario scenario{.name = fmt::format("random-{}", seed), .link = {}};
  auto& link = scenario.link;
  link.rate = BitRate::mbps(dice.log_uniform(kSlowest, kFastest));
  link.queue = std::max(kLeastQueue, link.rate * base::from_seconds(dice.log_uniform(0.015, 1)));
  scenario.viewer.round_trip = base::from_seconds(dice.log_uniform(0.005, 0.25));
  scenario.viewer.congestion_control = dice.chance(0.5) ? "bbr" : "cubic";
  scenario.limits.max = BitRate::mbps(dice.log_uniform(2, 12));
  const double loss = dice.chance(0.5) ? dice.uniform(0, 0.01) : 0;
  const bool beside = dice.chance(0.2);
  const Simulation::Flow other{.congestion_control = dice.chance(0.5) ? "bbr" : "cubic",
                               .round_trip = scenario.viewer.round_trip,
                               .start = 10s,
                               .stop = 40s};
  if (drawn.loss) link.loss = loss;
  if (drawn.others && beside) scenario.others = {other};
  if (drawn.rough) roughen(dice, scenario);
  if (drawn.steps) {
    Dice of_steps{~seed};
    scenario.changes = draw_steps(of_steps, link);
  }
  return scenario;
}

}  // namespace sim
