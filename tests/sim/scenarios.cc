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

/// `queue`: its length, as time at 10 Mbit/s.
netlab::LinkSettings link(double mbps, Duration queue) {
  return {.rate = BitRate::mbps(mbps), .queue = BitRate::mbps(10) * queue};
}

netlab::LinkSettings with_rate(netlab::LinkSettings settings, double mbps) {
  settings.rate = BitRate::mbps(mbps);
  return settings;
}

/// Steps of x0.2 to x5; the last one comes back before the viewer can have settled.
Changes steps(const netlab::LinkSettings& base) {
  constexpr std::pair<int, double> kSteps[]{{10, 2},  {20, 6}, {30, 1.2},
                                            {40, 10}, {50, 2}, {55, 10}};
  Changes changes;
  for (auto [at, mbps] : kSteps)
    changes.push_back({std::chrono::seconds{at}, with_rate(base, mbps)});
  return changes;
}

/// A mobile link: a Markov chain of radio conditions, each with log-normal fading around its rate,
/// and short interruptions; as in bench/policies/mobile_trace.py.
struct Radio {
  std::string name;
  std::vector<double> states;        ///< Mbit/s, from worse to better
  double stay = 0;                   ///< seconds: mean time in a state, before a neighbouring one
  double fading = 0;                 ///< standard deviation of the rate's natural logarithm
  double interruption = 0;           ///< probability of an interruption, per second
  double shortest = 0, longest = 0;  ///< interruption, in seconds
  double left = 0;                   ///< Mbit/s during an interruption
  Duration round_trip{};
  netlab::LinkSettings link;
};

Changes fading(const Radio& radio, std::uint64_t seed, Duration length) {
  constexpr double kTick = 0.1;  // seconds
  std::mt19937_64 random{seed};
  std::uniform_real_distribution<> chance;
  std::normal_distribution<> noise{0, radio.fading};
  auto state = random() % radio.states.size();
  double interrupted_until = 0;
  Changes changes;
  for (double at = 0; at < base::seconds(length); at += kTick) {
    if (chance(random) < kTick / radio.stay) {
      const bool up = chance(random) < 0.5;
      if (up ? state + 1 < radio.states.size() : state > 0) state += up ? 1 : -1;
    }
    if (at >= interrupted_until && chance(random) < kTick * radio.interruption) {
      interrupted_until = at + radio.shortest + (radio.longest - radio.shortest) * chance(random);
    }
    const double rate = radio.states[state] * std::exp(noise(random));
    changes.push_back(
        {base::from_seconds(at),
         with_rate(radio.link, at < interrupted_until ? std::min(rate, radio.left) : rate)});
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

/// A private link fades to a few per cent of its rate for 30 s, and comes back.
void add_fades(std::vector<Scenario>& all, const std::string& cc) {
  for (const auto& [kind, queue] : {std::pair{"shallow", 40ms}, {"deep", 300ms}}) {
    for (const double left : {0.1, 0.2, 0.4}) {
      const auto bottleneck = link(4, queue);
      all.push_back({.name = fmt::format("fade{:.0f}-{}-{}", 1000 * left, kind, cc),
                     .link = bottleneck,
                     .changes = {{15s, with_rate(bottleneck, left)}, {45s, bottleneck}},
                     .viewer = {.congestion_control = cc, .round_trip = 60ms}});
    }
  }
}

/// A private link fades away in steps until it carries little more than the audio, or less than
/// that, and comes back after 40 s. In MPEG-TS the audio takes 75 kbit/s, in FLV 43.
void add_faint(std::vector<Scenario>& all, const std::string& cc) {
  const auto bottleneck = link(4, 100ms);
  const auto add = [&](const char* name, const Container& container, double kbps) {
    all.push_back({.name = fmt::format("faint{}-{}-{}", kbps, name, cc),
                   .link = bottleneck,
                   .changes = {{10s, with_rate(bottleneck, 1)},
                               {13s, with_rate(bottleneck, 0.3)},
                               {16s, with_rate(bottleneck, kbps / 1000)},
                               {56s, bottleneck}},
                   .viewer = {.congestion_control = cc, .round_trip = 60ms},
                   .container = container,
                   .length = 70s});
  };
  for (const double kbps : {40, 60, 80, 120}) add("flv", kFlv, kbps);
  for (const double kbps : {60, 80, 100, 150}) add("ts", kMpegTs, kbps);
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
  const Radio lte{"lte", {0.8, 2, 4, 7, 12}, 2, 0.25, 0.04, 0.2, 0.5, 0.15, 60ms, link(5, 400ms)};
  const Radio fast{"fast", {3, 8, 20, 40}, 1.5, 0.15, 0.15, 0.1, 1, 1.2, 30ms, link(20, 200ms)};
  for (const auto& radio : {lte, fast}) {
    for (const std::uint64_t trace : {1, 2, 3}) {
      all.push_back({.name = fmt::format("mobile-{}{}-{}", radio.name, trace, cc),
                     .link = radio.link,
                     .changes = fading(radio, trace, 120s),
                     .viewer = {.congestion_control = cc, .round_trip = radio.round_trip},
                     .length = 120s});
    }
  }
}

void add_company(std::vector<Scenario>& all, const std::string& cc) {
  for (const std::string other : {"cubic", "bbr"}) {
    all.push_back({.name = "beside-" + other + "-" + cc,
                   .link = link(8, 80ms),
                   .viewer = {.congestion_control = cc},
                   .others = {{.congestion_control = other, .start = 5s, .stop = 45s}},
                   .length = 50s});
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
      .name = "outage-" + cc, .link = link(8, 80ms), .viewer = {.congestion_control = cc}};
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
    add_fades(all, cc);
    add_faint(all, cc);
    add_losses(all, cc);
    add_company(all, cc);
    add_rough(all, cc);
    add_mobile(all, cc);
    add_interrupted(all, cc);
  }
  return all;
}

}  // namespace sim
