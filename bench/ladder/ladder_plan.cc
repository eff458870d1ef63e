// How much viewers lose with a ladder of few groups, compared to a private encoder each. Runs in
// virtual time, with the server's ladder (app::Ladder) and its keyframe clock. Prints
//   a table per population    rates of 1000 viewers with 1 to 8 living groups, and with fixed ones
//   a table                   time and memory of the planner for 10 to 100,000 viewers
//
// ladder_plan [seconds] [seed]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include "compared.h"
#include "planner_cost.h"

namespace ladder_bench {

namespace {

void print_legend() {
  std::puts(
      "# ln rate: mean of ln(bit/s) that arrives. In a group that is too fast, this counts all\n"
      "#   that the link carries, as if nothing were skipped: see the columns that follow\n"
      "# value: ln rate minus 3 ln(r/s) for a viewer that sustains s in a group of r > s, and\n"
      "#   sees s/r of the frames; the living ladder's plans maximise this\n"
      "# ln %: of the private encoders' ln rate; rate %: of the geometric mean of their rates\n"
      "# too fast %: of viewers' time, in groups faster than they sustain; skips %: by a tenth\n"
      "# moves: per viewer; keys: forced keyframes of all groups\n"
      "# planned at once: the living ladder's plans, without any waiting; not an upper bound\n"
      "# all at rate.max: one group for all, to show the limits of ln rate");
}

void print(const std::string& name, const Result& r, const Result& own, std::size_t viewers) {
  const double own_log = own.log_rate / own.samples;
  const auto share = [&](double sum) { return 100 * sum / r.samples / own_log; };
  const auto rate = [&](double sum) { return 100 * std::exp(sum / r.samples - own_log); };
  const double minutes = r.samples / static_cast<double>(viewers) * base::seconds(kTick) / 60;
  std::printf("%-22s %6.1f %8.3f %7.2f %7.1f %10.2f %12.1f %10.1f %8.2f %9.2f %8.1f\n",
              name.c_str(), r.groups / r.ticks, r.log_rate / r.samples, share(r.log_rate),
              rate(r.log_rate), share(r.value), rate(r.value), 100 * r.too_fast / r.samples,
              100 * r.skipping / r.samples, r.moves / static_cast<double>(viewers) / minutes,
              r.forced / minutes);
}

/// Steps of an operator that knows rate.min and rate.max, but nothing about the viewers.
std::vector<BitRate> fitted(std::initializer_list<int> kbps, const abr::RateLimits& limits) {
  std::vector<BitRate> steps;
  for (const int step : kbps) {
    steps.push_back(std::clamp(BitRate::kbps(step), limits.min, limits.max));
  }
  steps.erase(std::ranges::unique(steps).begin(), steps.end());
  return steps;
}

void table(const Population& p, base::Duration time, unsigned seed) {
  std::printf(
      "\n# %s: %zu viewers, median %.1f Mbit/s, sigma %.2f own (correlation %.0f s) and %.2f "
      "common\n"
      "# (%.0f s), rate.min %.1f and rate.max %.1f Mbit/s; %.0f s, seed %u\n"
      "%-22s %6s %8s %7s %7s %10s %12s %10s %8s %9s %8s\n",
      p.name, p.viewers, p.median.bps() / 1e6, p.sigma, p.correlation_s, p.common_sigma,
      2 * p.correlation_s, p.limits.min.bps() / 1e6, p.limits.max.bps() / 1e6, base::seconds(time),
      seed, "ladder", "groups", "ln rate", "ln %", "rate %", "value ln %", "value rate %",
      "too fast %", "skips %", "moves/min", "keys/min");
  const auto own = own_rates(p, time, seed);
  print("private", own, own, p.viewers);
  for (const int groups : {1, 2, 4, 6, 8}) {
    print("living " + std::to_string(groups), living(p, groups, time, seed), own, p.viewers);
  }
  for (const std::size_t groups : {2u, 4u, 8u}) {
    print("planned at once " + std::to_string(groups), planned(p, groups, time, seed), own,
          p.viewers);
  }
  print("all at rate.max", fixed(p, {p.limits.max}, false, time, seed), own, p.viewers);
  // HLS Authoring Specification for Apple Devices, H.264 at 30/s; of four, every second one.
  const auto apple8 = fitted({145, 365, 730, 1100, 2000, 3000, 4500, 6000}, p.limits);
  const auto apple4 = fitted({365, 1100, 3000, 6000}, p.limits);
  for (const bool free : {false, true}) {
    const std::string how = free ? ", free moves" : "";
    for (const int steps : {4, 8}) {
      const auto ladder = percentile_ladder(p, steps, time, seed);
      print("fixed " + std::to_string(steps) + how, fixed(p, ladder, free, time, seed), own,
            p.viewers);
    }
    print("Apple 4" + how, fixed(p, apple4, free, time, seed), own, p.viewers);
    print("Apple 8" + how, fixed(p, apple8, free, time, seed), own, p.viewers);
  }
}

}  // namespace

}  // namespace ladder_bench

int main(int argc, char** argv) {
  using namespace ladder_bench;
  const auto time = std::chrono::seconds{argc > 1 ? std::atoi(argv[1]) : 300};
  const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  print_legend();
  const abr::RateLimits usual;
  const abr::RateLimits wide{BitRate::kbps(100), BitRate::mbps(50), BitRate::mbps(2)};
  table({"usual", 1000, BitRate::mbps(2.5), 0.6, 0, 60, usual}, time, seed);
  table({"well connected", 1000, BitRate::mbps(6), 0.8, 0, 60, usual}, time, seed);
  table({"common swings", 1000, BitRate::mbps(2.5), 0.4, 0.5, 60, usual}, time, seed);
  table({"one venue", 1000, BitRate::mbps(2.5), 0.2, 0.7, 60, usual}, time, seed);
  table({"no limits", 1000, BitRate::mbps(2.5), 0.6, 0, 60, wide}, time, seed);
  print_planner_cost(seed);
}
