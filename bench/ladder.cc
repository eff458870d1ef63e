// What a ladder of few groups costs the viewers beside a private encoder each. In virtual time,
// with the ladder of the server (app::Ladder) and its keyframe clock. Prints
//   a table per population    what 1000 viewers get from 1 to 8 living groups, and from fixed ones
//   a table                   time and memory of the planner for 10 to 100,000 viewers
//
// A population: the logarithm of each viewer's capacity is an Ornstein-Uhlenbeck process, so that
// capacities are log-normal at any time, plus one such process that is common to all. A viewer
// sustains his capacity within the limits of the rate; his policy is taken to know that.
//
// bench_ladder [seconds] [seed]
#include "app/ladder.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abr/ladder_plan.h"
#include "transcoder/encode/keyframe_clock.h"
#include "transcoder/settings.h"

namespace {

using namespace std::chrono_literals;
using base::BitRate;

constexpr base::Duration kTick = 250ms;  // as app/serve.cc
constexpr base::Duration kPicture = std::chrono::microseconds{33'333};
constexpr base::Duration kWarmUp = 30s;
constexpr base::Time kBegin{1h};
constexpr base::Time kEpoch = kBegin - 1min;

struct Population {
  const char* name;
  std::size_t viewers;
  BitRate median;
  double sigma;          // of a viewer's own part, in nats
  double common_sigma;   // of what is common to all
  double correlation_s;  // of a viewer's own part; the common one's is twice that
  abr::RateLimits limits;
};

/// What each viewer sustains, step by step.
class Viewers {
 public:
  Viewers(const Population& population, unsigned seed)
      : population_{population}, random_{seed}, own_(population.viewers) {
    for (auto& x : own_) x = normal_(random_);
    common_ = normal_(random_);
  }

  void step() {
    for (auto& x : own_) x = next(x, population_.correlation_s);
    common_ = next(common_, 2 * population_.correlation_s);
  }

  BitRate sustains(std::size_t viewer) const {
    const double x = population_.sigma * own_[viewer] + population_.common_sigma * common_;
    return std::clamp(std::exp(x) * population_.median, population_.limits.min,
                      population_.limits.max);
  }

 private:
  double next(double x, double correlation_s) {
    const double kept = std::exp(-base::seconds(kTick) / correlation_s);
    return kept * x + std::sqrt(1 - kept * kept) * normal_(random_);
  }

  const Population population_;
  std::mt19937_64 random_;
  std::normal_distribution<> normal_;
  std::vector<double> own_;
  double common_ = 0;
};

/// Sums over viewers and time.
struct Result {
  double log_rate = 0;  // ln of the bits per second that arrive
  double value = 0;     // abr::value: with what skipping pictures costs
  double samples = 0;
  double over = 0;      // samples whose group is faster than the viewer sustains
  double skipping = 0;  // of them, by more than a tenth: he skips pictures
  double moves = 0;
  double forced = 0;  // keyframes
  double groups = 0;  // encoders running, summed over ticks
  double ticks = 0;

  void add(BitRate sustains, BitRate rate) {
    log_rate += std::log(static_cast<double>(std::min(sustains, rate).bps()));
    value += abr::value(sustains, rate);
    over += sustains < rate;
    skipping += !abr::sustains(sustains, rate);
    ++samples;
  }
};

/// The server's ladder, with the keyframes of its groups and each viewer's way between them.
class LivingLadder {
 public:
  LivingLadder(int groups, std::size_t viewers)
      : served_(viewers), ladder_{{.max = groups}, kEpoch, actions()} {}

  void join(std::size_t viewer, BitRate sustains, base::Time now) {
    served_[viewer] = {ladder_.join(viewer, sustains, now), {}, {}};
  }

  void report(const Viewers& viewers, base::Time now) {
    now_ = now;
    for (std::size_t v = 0; v < served_.size(); ++v) {
      ladder_.report(v, {viewers.sustains(v), abr::Reason::kCapacity}, now);
    }
  }

  void tick(base::Time now) {
    ladder_.tick(now);
    for (; encoded_ <= now - kEpoch; encoded_ += kPicture) {
      for (auto& [group, clock] : clocks_) {
        const auto cause = clock.take(encoded_, false);
        forced_ += cause == transcoder::KeyframeClock::Cause::kScheduled;
      }
    }
  }

  void measure(const Viewers& viewers, base::Time now, Result& result) {
    const auto state = ladder_.state();
    for (std::size_t v = 0; v < served_.size(); ++v) {
      auto& served = served_[v];
      if (served.next && served.at <= now - kEpoch) served.group = *std::exchange(served.next, {});
      const auto group = state.groups.find(served.group);
      if (group != state.groups.end()) result.add(viewers.sustains(v), group->second.rate);
    }
    result.groups += static_cast<double>(state.groups.size());
    ++result.ticks;
  }

  std::uint64_t moves() const {
    std::uint64_t sum = 0;
    for (const auto& [reason, count] : ladder_.state().moves) sum += count;
    return sum;
  }
  std::uint64_t forced() const { return forced_; }

 private:
  struct Served {
    app::Ladder::GroupIndex group = 0;
    std::optional<app::Ladder::GroupIndex> next;
    media::Pts at{};
  };

  transcoder::KeyframeClock& clock(app::Ladder::GroupIndex group) {
    static const transcoder::EncoderSettings kSettings;
    return clocks_
        .try_emplace(group, kSettings.keyframe_interval, kSettings.forced_keyframe_interval)
        .first->second;
  }

  app::Ladder::Actions actions() {
    return {
        .open = [](auto, auto) {},
        .open_failed = [](const auto&) {},
        .close = [this](auto group) { clocks_.erase(group); },
        .retarget = [](auto, auto) {},
        .schedule_keyframe = [this](auto group, auto earliest) -> media::Pts {
          return clock(group).schedule(now_ - kEpoch + earliest);
        },
        .move =
            [this](auto viewer, auto group, auto at, auto) {
              served_[viewer].next = group;
              served_[viewer].at = at;
            },
        .refuse = [](auto) {},
        .shed = [](auto) {},
    };
  }

  std::vector<Served> served_;
  std::map<app::Ladder::GroupIndex, transcoder::KeyframeClock> clocks_;
  base::Time now_ = kBegin;
  media::Pts encoded_ = kBegin - kEpoch;
  std::uint64_t forced_ = 0;
  app::Ladder ladder_;
};

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

/// Who sustains a step takes it, as a viewer of the living ladder does: down at 0.9, up by 1.1
/// after 3 s; but he waits for no keyframe. `free`: the best step at any moment, at once.
Result fixed(const Population& population, std::vector<BitRate> steps, bool free,
             base::Duration time, unsigned seed) {
  Viewers viewers{population, seed};
  struct Seat {
    BitRate rate;
    base::Time since{};
  };
  std::vector<Seat> seats(population.viewers, {steps[0], {}});
  Result result;
  for (auto now = kBegin; now < kBegin + kWarmUp + time; now += kTick) {
    viewers.step();
    for (std::size_t v = 0; v < seats.size(); ++v) {
      auto& seat = seats[v];
      const auto s = viewers.sustains(v);
      const auto above = std::ranges::upper_bound(steps, s);
      const auto best = above == steps.begin() ? steps.front() : *std::prev(above);
      const bool moves =
          free || s < 0.9 * seat.rate || (best >= 1.1 * seat.rate && now - seat.since >= 3s);
      if (moves && best != seat.rate) {
        seat = {best, now};
        result.moves += now >= kBegin + kWarmUp;
      }
      if (now >= kBegin + kWarmUp) result.add(s, seat.rate);
    }
  }
  result.groups = static_cast<double>(steps.size());
  result.ticks = 1;
  return result;
}

/// The best `groups` rates of every second, with every viewer where he is best off: no ladder of so
/// many groups can do better. 0: each viewer's own rate.
Result oracle(const Population& population, std::size_t groups, base::Duration time,
              unsigned seed) {
  Viewers viewers{population, seed};
  Result result;
  abr::Plan plan;
  for (auto now = kBegin; now < kBegin + kWarmUp + time; now += kTick) {
    viewers.step();
    if (now < kBegin + kWarmUp) continue;
    abr::RateHistogram rates;
    for (std::size_t v = 0; v < population.viewers; ++v) rates.add(viewers.sustains(v));
    if (groups > 0 && (now - kBegin) % 1s == 0s) plan = abr::plan_ladder(rates, groups);
    for (std::size_t v = 0; v < population.viewers; ++v) {
      const auto s = viewers.sustains(v);
      result.add(s, groups > 0 ? abr::rung_of(s, plan).rate : s);
    }
  }
  result.groups = static_cast<double>(groups);
  result.ticks = 1;
  return result;
}

/// Steps of equal ratio from the 2nd to the 98th percentile of what will be sustained: no operator
/// could know them.
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

void print(const std::string& name, const Result& r, const Result& own, std::size_t viewers) {
  const double log_rate = r.log_rate / r.samples;
  const double own_log = own.log_rate / own.samples;
  const double minutes = r.samples / static_cast<double>(viewers) * base::seconds(kTick) / 60;
  std::printf("%-22s %6.1f %8.3f %7.2f %7.1f %7.1f %6.1f %7.2f %9.2f %8.1f\n", name.c_str(),
              r.groups / r.ticks, log_rate, 100 * log_rate / own_log,
              100 * std::exp(log_rate - own_log), 100 * std::exp(r.value / r.samples - own_log),
              100 * r.over / r.samples, 100 * r.skipping / r.samples,
              r.moves / static_cast<double>(viewers) / minutes, r.forced / minutes);
}

void table(const Population& p, base::Duration time, unsigned seed) {
  std::printf(
      "\n# %s: %zu viewers, median %.1f Mbit/s, sigma %.2f own (correlation %.0f s) and %.2f "
      "common\n"
      "# (%.0f s), rate.min %.1f and rate.max %.1f Mbit/s; %.0f s, seed %u\n"
      "#   ln rate: mean of ln(bit/s) that arrives; %%: of private\n"
      "#   rate: ratio of geometric means, to private; value: likewise, with what skipping costs\n"
      "#   over: time in groups faster than the viewer sustains; skips: of it, by more than a "
      "tenth;\n"
      "#   moves: of a viewer; keys: forced keyframes of all groups\n"
      "%-22s %6s %8s %7s %7s %7s %6s %7s %9s %8s\n",
      p.name, p.viewers, p.median.bps() / 1e6, p.sigma, p.correlation_s, p.common_sigma,
      2 * p.correlation_s, p.limits.min.bps() / 1e6, p.limits.max.bps() / 1e6, base::seconds(time),
      seed, "ladder", "groups", "ln rate", "%", "rate %", "value %", "over %", "skips %",
      "moves/min", "keys/min");
  const auto own = oracle(p, 0, time, seed);
  print("private", own, own, p.viewers);
  for (const int groups : {1, 2, 4, 6, 8}) {
    print("living " + std::to_string(groups), living(p, groups, time, seed), own, p.viewers);
  }
  for (const std::size_t groups : {2u, 4u, 8u}) {
    print("best at any moment " + std::to_string(groups), oracle(p, groups, time, seed), own,
          p.viewers);
  }
  // HLS Authoring Specification for Apple Devices, H.264 at 30/s, steps within 145 to 6000 kbit/s;
  // of four, every second one.
  std::vector<BitRate> apple;
  for (const int kbps : {145, 365, 730, 1100, 2000, 3000, 4500, 6000}) {
    apple.push_back(BitRate::kbps(kbps));
  }
  const std::vector<BitRate> apple4{apple[1], apple[3], apple[5], apple[7]};
  for (const bool free : {false, true}) {
    const std::string how = free ? ", free moves" : "";
    for (const int steps : {4, 8}) {
      const auto ladder = percentile_ladder(p, steps, time, seed);
      print("fixed " + std::to_string(steps) + how, fixed(p, ladder, free, time, seed), own,
            p.viewers);
    }
    print("Apple 4" + how, fixed(p, apple4, free, time, seed), own, p.viewers);
    print("Apple 8" + how, fixed(p, apple, free, time, seed), own, p.viewers);
  }
}

/// The median of the times that `work` takes, in milliseconds.
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

void cost_table(unsigned seed) {
  std::puts(
      "\n# plan: plan_ladder; tick: the rest of Ladder::tick's work, four times per second; "
      "report:\n"
      "# of one viewer; medians. Memory: of the ladder, its viewers' seats included\n"
      "viewers  groups  plan ms  tick ms  report us       KiB  bytes/viewer");
  for (const std::size_t count : {10u, 1000u, 10'000u, 100'000u}) {
    for (const int groups : {4, 16}) cost_row(count, groups, seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto time = std::chrono::seconds{argc > 1 ? std::atoi(argv[1]) : 300};
  const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  const abr::RateLimits usual;
  const abr::RateLimits wide{BitRate::kbps(100), BitRate::mbps(50), BitRate::mbps(2)};
  table({"usual", 1000, BitRate::mbps(2.5), 0.6, 0, 60, usual}, time, seed);
  table({"well connected", 1000, BitRate::mbps(6), 0.8, 0, 60, usual}, time, seed);
  table({"common swings", 1000, BitRate::mbps(2.5), 0.4, 0.5, 60, usual}, time, seed);
  table({"one venue", 1000, BitRate::mbps(2.5), 0.2, 0.7, 60, usual}, time, seed);
  table({"no limits", 1000, BitRate::mbps(2.5), 0.6, 0, 60, wide}, time, seed);
  cost_table(seed);
}
