#include "family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dice.h"

namespace sim {

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using base::Duration;

constexpr double kLeastRate = 1;  // Mbit/s
constexpr double kMostRate = 50;
constexpr ByteCount kLeastQueue{5 * 1500};
// Of the audio, when it is sent alone: the headers of ten packets per second.
constexpr BitRate kAudioHeaders = BitRate::kbps(4);
// Other flows come when the viewers have settled.
constexpr Duration kOthersCome = 10s;

Duration draw_round_trip(Dice& dice) { return base::from_seconds(dice.log_uniform(0.005, 0.3)); }

const char* draw_congestion_control(Dice& dice) { return dice.chance(0.5) ? "cubic" : "bbr"; }

void draw_queue(Dice& dice, netlab::LinkSettings& link) {
  link.queue = std::max(kLeastQueue, link.rate * base::from_seconds(dice.log_uniform(0.01, 2)));
  link.codel = dice.chance(0.35);
  link.fair = link.codel && dice.chance(0.5);
}

void draw_loss(Dice& dice, netlab::LinkSettings& link) {
  const double kind = dice.uniform(0, 1);
  if (kind < 0.2) link.loss = dice.log_uniform(1e-4, 0.02);
  if (kind < 0.8) return;
  link.burst_enter = dice.log_uniform(2e-4, 5e-3);
  link.burst_leave = 1 / dice.uniform(2, 20);
  link.burst_time = 50ms;
}

void draw_bucket(Dice& dice, netlab::LinkSettings& link) {
  link.bucket = ByteCount{static_cast<std::int64_t>(dice.log_uniform(30e3, 500e3))};
  link.peak = link.rate * dice.uniform(1.5, 10);
}

/// Steps by x0.1 to x10, which last for 3 to 20 s.
void draw_steps(Dice& dice, Scenario& scenario) {
  auto link = scenario.link;
  auto at = scenario.last_start() + base::from_seconds(dice.uniform(6, 15));
  double mbps = static_cast<double>(link.rate.bps()) / 1e6;
  for (int i = dice.count(1, 4); i > 0 && at < scenario.length - 5s; --i) {
    mbps = std::clamp(mbps * dice.log_uniform(0.1, 10), kLeastRate, kMostRate);
    link.rate = BitRate::mbps(mbps);
    scenario.changes.push_back({at, link});
    at += base::from_seconds(dice.uniform(3, 20));
  }
}

void draw_others(Dice& dice, Scenario& scenario) {
  const bool pages = dice.chance(0.4);
  for (int i = dice.count(1, 4); i > 0; --i) {
    Simulation::Flow flow{.congestion_control = draw_congestion_control(dice),
                          .round_trip = draw_round_trip(dice),
                          .start = scenario.last_start() + kOthersCome};
    if (dice.chance(0.5)) flow.stop = flow.start + base::from_seconds(dice.uniform(10, 30));
    if (pages) {
      flow.web = {.size = ByteCount{static_cast<std::int64_t>(dice.log_uniform(50e3, 2e6))},
                  .pause = base::from_seconds(dice.log_uniform(0.5, 5))};
    }
    scenario.others.push_back(flow);
  }
}

}  // namespace

Scenario family_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario{.name = fmt::format("family-{}", seed), .link = {}};
  auto& link = scenario.link;
  link.rate = BitRate::mbps(dice.log_uniform(kLeastRate, kMostRate));
  draw_queue(dice, link);
  draw_loss(dice, link);
  scenario.viewer.round_trip = draw_round_trip(dice);
  scenario.viewer.congestion_control = draw_congestion_control(dice);
  scenario.viewer.eager = !dice.chance(0.2);
  if (dice.chance(0.3)) {
    scenario.viewer.acks.aggregate = base::from_seconds(dice.uniform(0.005, 0.04));
  }
  scenario.limits.max = BitRate::mbps(dice.log_uniform(2, 12));
  if (dice.chance(0.2)) scenario.viewers = static_cast<std::size_t>(dice.count(2, 8));
  scenario.length += scenario.last_start();
  if (dice.chance(0.1)) draw_bucket(dice, link);
  if (dice.chance(0.35)) draw_others(dice, scenario);
  if (dice.chance(0.4)) draw_steps(dice, scenario);
  return scenario;
}

Scenario faint_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario{.name = fmt::format("faint-{}", seed), .link = {}};
  auto& link = scenario.link;
  const double mbps = dice.log_uniform(kLeastRate, 10);
  link.rate = BitRate::mbps(mbps);
  draw_queue(dice, link);
  draw_loss(dice, link);
  scenario.viewer.round_trip = draw_round_trip(dice);
  scenario.viewer.congestion_control = draw_congestion_control(dice);
  scenario.viewer.eager = !dice.chance(0.2);
  scenario.limits.max = BitRate::mbps(dice.log_uniform(2, 12));
  if (dice.chance(0.5)) scenario.container = kFlv;
  const auto audio = scenario.container.audio.back() + kAudioHeaders;
  auto faint = link;
  faint.rate = dice.log_uniform(0.9, 4) * audio;
  auto at = base::from_seconds(dice.uniform(8, 12));
  const int steps = dice.count(0, 2);
  for (int i = 0; i < steps; ++i) {
    auto between = link;
    between.rate = link.rate * std::pow(faint.rate / link.rate, (i + 1.) / (steps + 1));
    scenario.changes.push_back({at, between});
    at += base::from_seconds(dice.uniform(1, 5));
  }
  scenario.changes.push_back({at, faint});
  scenario.changes.push_back({at + base::from_seconds(dice.uniform(15, 30)), link});
  return scenario;
}

Scenario short_queue_scenario(std::uint64_t seed) {
  Dice dice{seed};
  Scenario scenario{.name = fmt::format("short-queue-{}", seed), .link = {}};
  scenario.link.rate = BitRate::mbps(dice.log_uniform(kLeastRate, kMostRate));
  scenario.link.queue = ByteCount{std::int64_t{1500} * dice.count(5, 20)};
  scenario.viewer.round_trip = draw_round_trip(dice);
  scenario.viewer.congestion_control = draw_congestion_control(dice);
  scenario.viewer.eager = !dice.chance(0.2);
  scenario.limits.max = BitRate::mbps(dice.log_uniform(2, 12));
  if (dice.chance(0.4)) draw_steps(dice, scenario);
  return scenario;
}

std::vector<Scenario> scenarios_beside_others() {
  std::vector<Scenario> all;
  for (const auto& [name, others] : {std::pair{"cubic", 1}, {"bbr", 1}, {"cubic", 4}}) {
    for (const double mbps : {3, 8, 20}) {
      for (const Duration queue : {50ms, 100ms, 300ms, 1000ms}) {
        for (const char* own : {"cubic", "bbr"}) {
          auto& scenario = all.emplace_back();
          scenario.name =
              fmt::format("{}-{}-{}-{}-{}", others, name, mbps, queue.count() / 1'000'000, own);
          scenario.link.rate = BitRate::mbps(mbps);
          scenario.link.queue = scenario.link.rate * queue;
          scenario.viewer.congestion_control = own;
          scenario.limits.max = scenario.link.rate;
          scenario.others.resize(static_cast<std::size_t>(others),
                                 {.congestion_control = name, .start = kOthersCome});
        }
      }
    }
  }
  return all;
}

Scenario recorded_scenario(const std::filesystem::path& file) {
  std::ifstream lines{file};
  Scenario scenario{.name = file.stem().string(),
                    .link = {.rate = BitRate{1}, .queue = ByteCount{250'000}}};
  scenario.viewer.round_trip = 60ms;
  auto link = scenario.link;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    double at = 0;
    double kbps = 0;
    if (!(std::istringstream{line} >> at >> kbps)) {
      throw std::runtime_error{
          fmt::format("{}: '{}' is no `time_ms rate_kbps`", file.string(), line)};
    }
    // A packet that waits for a rate of zero would never leave the transmitter.
    link.rate = std::max(BitRate{1}, BitRate::kbps(kbps));
    if (scenario.changes.empty()) scenario.link = link;
    scenario.changes.push_back({base::from_seconds(at / 1e3), link});
  }
  if (scenario.changes.empty()) throw std::runtime_error{file.string() + " has no lines"};
  return scenario;
}

}  // namespace sim
