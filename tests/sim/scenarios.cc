#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "scenario.h"

namespace sim {

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::Duration;
using Changes = std::vector<Simulation::Change>;

/// `queue`: as time at 10 Mbit/s.
netlab::LinkSettings link(double mbps, Duration queue) {
  return {.rate = BitRate::mbps(mbps), .queue = BitRate::mbps(10) * queue};
}

netlab::LinkSettings with_rate(netlab::LinkSettings settings, double mbps) {
  settings.rate = BitRate::mbps(mbps);
  return settings;
}

/// x0.2 to x5, and back before the viewer can have settled.
Changes steps(const netlab::LinkSettings& base) {
  constexpr std::pair<int, double> kSteps[]{{10, 2},  {20, 6}, {30, 1.2},
                                            {40, 10}, {50, 2}, {55, 10}};
  Changes changes;
  for (auto [at, mbps] : kSteps)
    changes.push_back({std::chrono::seconds{at}, with_rate(base, mbps)});
  return changes;
}

/// The logarithm of the rate wanders about 4 Mbit/s (Ornstein and Uhlenbeck) with a time constant
/// of 5 s, and jumps about every 20 s, as a radio link's does.
Changes mobile(const netlab::LinkSettings& base, std::uint64_t seed, Duration length) {
  std::mt19937_64 random{seed};
  std::normal_distribution<double> noise;
  Changes changes;
  double level = 0;
  for (Duration t{}; t < length; t += 200ms) {
    level += -0.04 * level + 0.2 * noise(random);
    if (std::uniform_real_distribution<>{}(random) < 0.01) level = noise(random);
    changes.push_back({t, with_rate(base, std::clamp(4 * std::exp(level), 0.5, 20.0))});
  }
  return changes;
}

void add_steps(std::vector<Scenario>& all, const std::string& cc) {
  for (const Duration rtt : {10ms, 40ms, 100ms, 200ms}) {
    for (const auto& [kind, queue] : {std::pair{"shallow", 20ms}, {"deep", 300ms}}) {
      const auto bottleneck = link(10, queue);
      all.push_back({.name = fmt::format("steps-{}-{}-{}", kind, cc, rtt / 1ms),
                     .link = bottleneck,
                     .changes = steps(bottleneck),
                     .viewer = {.congestion_control = cc, .round_trip = rtt}});
    }
  }
}

void add_losses(std::vector<Scenario>& all, const std::string& cc) {
  const auto add = [&](const std::string& name, Duration rtt, double loss, double burst) {
    auto bottleneck = link(10, 100ms);
    bottleneck.loss = loss;
    bottleneck.burst_enter = burst;
    bottleneck.burst_leave = burst > 0 ? 0.25 : 1;
    all.push_back({.name = name + "-" + cc,
                   .link = bottleneck,
                   .viewer = {.congestion_control = cc, .round_trip = rtt}});
  };
  add("loss0.5", 80ms, 0.005, 0);
  add("loss0.5-40", 40ms, 0.005, 0);
  add("loss2-40", 40ms, 0.02, 0);
  add("burstloss", 40ms, 0, 0.0051);  // 2 % in bursts of four
}

void add_rough(std::vector<Scenario>& all, const std::string& cc) {
  const auto bottleneck = link(10, 100ms);
  const Scenario plain{.name = "",
                       .link = bottleneck,
                       .changes = steps(bottleneck),
                       .viewer = {.congestion_control = cc}};
  all.push_back(plain);
  all.back().name = "delayed-acks-" + cc;
  all.back().viewer.eager = false;
  for (const Duration time : {10ms, 20ms}) {
    all.push_back(plain);
    all.back().name = fmt::format("aggregated{}-{}", time / 1ms, cc);
    all.back().viewer.acks.aggregate = time;
  }
  all.push_back(plain);
  all.back().name = "codel-" + cc;
  all.back().link = link(10, 1s);
  all.back().link.codel = true;
  all.back().changes = steps(all.back().link);
  all.push_back(plain);
  all.back().name = "static-" + cc;
  all.back().encoder.content = BitRate::kbps(400);
}

void add_mobile(std::vector<Scenario>& all, const std::string& cc) {
  for (const std::uint64_t trace : {1, 2}) {
    const auto bottleneck = link(5, 300ms);
    all.push_back({.name = fmt::format("mobile{}-{}", trace, cc),
                   .link = bottleneck,
                   .changes = mobile(bottleneck, trace, 120s),
                   .viewer = {.congestion_control = cc, .round_trip = 50ms},
                   .length = 120s});
  }
}

void add_company(std::vector<Scenario>& all, const std::string& cc) {
  for (const std::string other : {"cubic", "bbr"}) {
    all.push_back({.name = "beside-" + other + "-" + cc,
                   .link = link(8, 100ms),
                   .viewer = {.congestion_control = cc},
                   .others = {{.congestion_control = other, .start = 10s, .stop = 40s}}});
  }
  for (const std::size_t viewers : {2, 4}) {
    all.push_back({.name = fmt::format("own{}-{}", viewers, cc),
                   .link = link(10, 100ms),
                   .viewer = {.congestion_control = cc},
                   .viewers = viewers});
  }
}

void add_interrupted(std::vector<Scenario>& all, const std::string& cc) {
  Scenario outage{
      .name = "outage-" + cc, .link = link(8, 100ms), .viewer = {.congestion_control = cc}};
  auto gone = outage.link;
  gone.blackhole = true;
  outage.changes = {{20s, gone}, {21s, outage.link}};
  all.push_back(outage);
  Scenario bucket{
      .name = "bucket-" + cc, .link = link(3, 300ms), .viewer = {.congestion_control = cc}};
  bucket.link.bucket = base::ByteCount{32'000};
  bucket.link.peak = BitRate::mbps(100);
  all.push_back(bucket);
}

}  // namespace

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const std::string cc : {"cubic", "bbr"}) {
    add_steps(all, cc);
    add_losses(all, cc);
    add_company(all, cc);
    add_rough(all, cc);
    add_mobile(all, cc);
    add_interrupted(all, cc);
  }
  return all;
}

}  // namespace sim
