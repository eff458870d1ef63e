#include "planner_cost.h"

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "abr/ladder/ladder_plan.h"
#include "living_ladder.h"

namespace ladder_bench {

namespace {

/// Measures how long work takes; has the median in milliseconds.
class Stopwatch {
 public:
  template <typename Work>
  void time(Work work) {
    const auto begin = base::Clock::now();
    work();
    taken_.push_back(1e3 * base::seconds(base::Clock::now() - begin));
  }
  double median() {
    std::ranges::sort(taken_);
    return taken_[taken_.size() / 2];
  }

 private:
  std::vector<double> taken_;
};

void cost_row(std::size_t count, int groups, unsigned seed) {
  Viewers viewers{{"", count, BitRate::mbps(2.5), 0.6, 0, 60, {}}, seed};
  Stopwatch plan;
  Stopwatch reports;
  Stopwatch ticks;
  const auto before = mallinfo2().uordblks;
  LivingLadder ladder{groups, count};
  for (std::size_t v = 0; v < count; ++v) ladder.join(v, viewers.sustains(v), kBegin);
  for (int i = 1; i <= 41; ++i) {
    viewers.step();
    reports.time([&] { ladder.report(viewers, kBegin + i * kTick); });
    ticks.time([&] { ladder.tick(kBegin + i * kTick); });
  }
  const auto bytes = static_cast<double>(mallinfo2().uordblks - before);
  abr::RateHistogram rates;
  for (std::size_t v = 0; v < count; ++v) rates.add(viewers.sustains(v));
  for (int i = 0; i < 21; ++i) {
    plan.time([&] { (void)abr::plan_ladder(rates, static_cast<std::size_t>(groups)); });
  }
  const auto n = static_cast<double>(count);
  std::printf("%7zu %7d %8.3f %8.3f %10.2f %9.0f %13.0f\n", count, groups, plan.median(),
              ticks.median(), 1e3 * reports.median() / n, bytes / 1024, bytes / n);
}

}  // namespace

void print_planner_cost(unsigned seed) {
  std::puts(
      "\n# plan: plan_ladder; tick: the rest of Ladder::tick's work, four times per second; "
      "report:\n"
      "# of one viewer; medians. Memory: of the ladder, its viewers' memberships included\n"
      "viewers  groups  plan ms  tick ms  report us       KiB  bytes/viewer");
  for (const std::size_t count : {10u, 1000u, 10'000u, 100'000u}) {
    for (const int groups : {4, 16}) cost_row(count, groups, seed);
  }
}

}  // namespace ladder_bench
