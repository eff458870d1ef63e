#include "compared.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "abr/ladder/ladder_plan.h"
#include "living_ladder.h"

namespace ladder_bench {

Result living(const Population& population, int groups, base::Duration time, unsigned seed) {
  Viewers viewers{population, seed};
  LivingLadder ladder{groups, population.viewers};
  for (std::size_t v = 0; v < population.viewers; ++v) {
    ladder.join(v, viewers.sustains(v), kBegin);
  }
  Result result;
  std::uint64_t moves = 0;
  std::uint64_t forced = 0;
  for (auto now = kBegin; now < kBegin + kWarmUp + time; now += kTick) {
    viewers.step();
    ladder.report(viewers, now);
    ladder.tick(now);
    if (now < kBegin + kWarmUp) {
      moves = ladder.moves();
      forced = ladder.forced();
      continue;
    }
    ladder.measure(viewers, now, result);
  }
  result.moves = static_cast<double>(ladder.moves() - moves);
  result.forced = static_cast<double>(ladder.forced() - forced);
  return result;
}

Result fixed(const Population& population, const std::vector<BitRate>& steps, bool free,
             base::Duration time, unsigned seed) {
  Viewers viewers{population, seed};
  struct Membership {
    BitRate rate;
    base::Time since{};
  };
  std::vector<Membership> memberships(population.viewers, {steps[0], {}});
  Result result;
  for (auto now = kBegin; now < kBegin + kWarmUp + time; now += kTick) {
    viewers.step();
    for (std::size_t v = 0; v < memberships.size(); ++v) {
      auto& membership = memberships[v];
      const auto s = viewers.sustains(v);
      const auto above = std::ranges::upper_bound(steps, s);
      const auto best = above == steps.begin() ? steps.front() : *std::prev(above);
      const bool moves = free || s < 0.9 * membership.rate ||
                         (best >= 1.1 * membership.rate && now - membership.since >= 3s);
      if (moves && best != membership.rate) {
        membership = {best, now};
        result.moves += now >= kBegin + kWarmUp;
      }
      if (now >= kBegin + kWarmUp) result.add(s, membership.rate);
    }
  }
  result.groups = static_cast<double>(steps.size());
  result.ticks = 1;
  return result;
}

Result planned(const Population& population, std::size_t groups, base::Duration time,
               unsigned seed) {
  Viewers viewers{population, seed};
  Result result;
  abr::Plan plan;
  for (auto now = kBegin; now < kBegin + kWarmUp + time; now += kTick) {
    viewers.step();
    if (now < kBegin + kWarmUp) continue;
    if ((now - kBegin) % 1s == 0s) {
      abr::RateHistogram rates;
      for (std::size_t v = 0; v < population.viewers; ++v) rates.add(viewers.sustains(v));
      plan = abr::plan_ladder(rates, groups);
    }
    for (std::size_t v = 0; v < population.viewers; ++v) {
      const auto s = viewers.sustains(v);
      result.add(s, abr::rung_of(s, plan).rate);
    }
  }
  result.groups = static_cast<double>(groups);
  result.ticks = 1;
  return result;
}

Result own_rates(const Population& population, base::Duration time, unsigned seed) {
  Viewers viewers{population, seed};
  Result result;
  for (auto now = kBegin; now < kBegin + kWarmUp + time; now += kTick) {
    viewers.step();
    if (now < kBegin + kWarmUp) continue;
    for (std::size_t v = 0; v < population.viewers; ++v) {
      result.add(viewers.sustains(v), viewers.sustains(v));
    }
  }
  result.groups = static_cast<double>(population.viewers);
  result.ticks = 1;
  return result;
}

std::vector<BitRate> percentile_ladder(const Population& population, int steps, base::Duration time,
                                       unsigned seed) {
  Viewers viewers{population, seed};
  std::vector<BitRate> seen;
  for (auto now = kBegin; now < kBegin + kWarmUp + time; now += kTick) {
    viewers.step();
    if ((now - kBegin) % 5s != 0s) continue;
    for (std::size_t v = 0; v < population.viewers; ++v) seen.push_back(viewers.sustains(v));
  }
  std::ranges::sort(seen);
  const auto low = seen[seen.size() / 50];
  const double ratio = seen[seen.size() - 1 - seen.size() / 50] / low;
  std::vector<BitRate> ladder;
  for (int i = 0; i < steps; ++i) ladder.push_back(low * std::pow(ratio, i / (steps - 1.0)));
  return ladder;
}

}  // namespace ladder_bench
