#include "transcoder/time/dejitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace transcoder {
namespace {

using namespace std::chrono_literals;

struct Released {
  media::Pts pts;
  base::Time arrival;
  base::Time release;
  base::Duration wait() const { return release - arrival; }
};

using Arrival = std::function<base::Duration(base::Duration capture, int index)>;

/// `count` pictures at `rate`, each taken at its pts; `arrival` says when it arrives. In order.
std::vector<Released> play(Dejitter& dejitter, double rate, int count, const Arrival& arrival,
                           base::Duration begin = {}) {
  std::vector<Released> result;
  base::Time last{};
  for (int i = 0; i < count; ++i) {
    const auto pts = begin + base::from_seconds(i / rate);
    last = std::max(last, base::Time{100s + arrival(pts, i)});
    result.push_back({pts, last, dejitter.release(pts, last)});
  }
  return result;
}

std::vector<Released> play(double rate, int count, const Arrival& arrival) {
  Dejitter dejitter;
  return play(dejitter, rate, count, arrival);
}

/// The pictures are sent at every multiple of `burst`, all that have been taken until then.
Arrival in_bursts(base::Duration burst) {
  return [burst](base::Duration pts, int) { return (pts / burst + 1) * burst; };
}

/// The shortest and longest time between releases, from the second picture that was taken `from`.
std::pair<base::Duration, base::Duration> gaps(const std::vector<Released>& all,
                                               base::Duration from) {
  std::pair<base::Duration, base::Duration> result{1h, -1h};
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i - 1].pts < from) continue;
    const auto gap = all[i].release - all[i - 1].release;
    result = {std::min(result.first, gap), std::max(result.second, gap)};
  }
  return result;
}

base::Duration longest_wait(const std::vector<Released>& all, base::Duration from = {}) {
  base::Duration result{};
  for (const auto& one : all)
    if (one.pts >= from) result = std::max(result, one.wait());
  return result;
}

class AtRate : public testing::TestWithParam<double> {};

TEST_P(AtRate, AnEvenSourceDoesNotWait) {
  EXPECT_EQ(longest_wait(play(GetParam(), 2000, [](auto pts, int) { return pts; })), 0ms);
}

TEST_P(AtRate, JitterOfAQuarterOfAnIntervalDoesNotWait) {
  std::mt19937 random{1};
  std::uniform_real_distribution<> part{-0.12, 0.12};
  const auto jitter = [&](auto pts, int) {
    return pts + 1s + base::from_seconds(part(random) / GetParam());
  };
  EXPECT_EQ(longest_wait(play(GetParam(), 2000, jitter)), 0ms);
}

TEST_P(AtRate, BurstsLeaveAtTheRhythmOfTheirTimestamps) {
  const auto interval = base::from_seconds(1 / GetParam());
  for (const auto burst : {100ms, 200ms, 333ms, 480ms}) {
    if (burst < 1.5 * interval) continue;
    const auto all = play(GetParam(), static_cast<int>(20 * GetParam()), in_bursts(burst));
    const auto [shortest, longest] = gaps(all, 3s);
    EXPECT_GT(shortest, 0.49 * interval) << burst;
    EXPECT_LT(longest, 2 * interval) << burst << ": the phase of the bursts drifts";
    EXPECT_LE(longest_wait(all), burst);
  }
}

TEST_P(AtRate, LongerBurstsLeaveNoFasterThanTwice) {
  const auto interval = base::from_seconds(1 / GetParam());
  const auto all = play(GetParam(), static_cast<int>(20 * GetParam()), in_bursts(900ms));
  EXPECT_GE(gaps(all, 3s).first + 1us, interval / 2);
}

/// Whatever happens: in order, after arrival, and within the bound.
TEST_P(AtRate, KeepsItsBoundsUnderRandomArrivals) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 random{seed};
    std::exponential_distribution<> delay{1 / (0.01 + 0.02 * seed)};
    const auto all = play(GetParam(), 1000,
                          [&](auto pts, int) { return pts + base::from_seconds(delay(random)); });
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_GE(all[i].wait(), 0ms);
      EXPECT_LE(all[i].wait(), Dejitter::kMaxWait);
      EXPECT_GE(all[i].release, all[i > 0 ? i - 1 : 0].release);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, AtRate, testing::Values(10, 23.976, 25, 30, 50, 60, 120));

TEST(DejitterTest, SpacesTheTwoFieldsOfAnInterlacedFrame) {
  const auto all = play(50, 1000, [](auto pts, int i) { return i % 2 == 0 ? pts + 20ms : pts; });
  const auto [shortest, longest] = gaps(all, 1s);
  EXPECT_NEAR(base::seconds(shortest), 0.02, 1e-6);
  EXPECT_NEAR(base::seconds(longest), 0.02, 1e-6);
  EXPECT_EQ(longest_wait(all), 20ms);
}

/// Nothing arrives for `length` from second `at` on.
Arrival disturbed(std::vector<base::Duration> at, base::Duration length) {
  return [=](base::Duration pts, int) {
    for (const auto begin : at)
      if (pts >= begin && pts < begin + length) return begin + length;
    return pts;
  };
}

TEST(DejitterTest, ASingleDisturbanceIsMadeUpForAtTwiceTheSpeed) {
  const auto all = play(25, 1000, disturbed({10s}, 200ms));
  EXPECT_GE(gaps(all, 10040ms).first + 1us, 20ms);
  EXPECT_EQ(longest_wait(all), 100ms) << "the picture that follows the five late ones";
  EXPECT_EQ(longest_wait(all, 10500ms), 0ms);
}

TEST(DejitterTest, RecurringDisturbancesCostDelayForAWhileOnly) {
  const auto all = play(25, 1000, disturbed({10s, 12s}, 200ms));
  EXPECT_EQ(longest_wait(all), 200ms);
  EXPECT_GE(gaps(all, 12200ms).first, 20ms) << "the wait shrinks slowly, the last 20 ms at once";
  EXPECT_EQ(longest_wait(all, 19s), 0ms);
}

TEST(DejitterTest, ALongerPathDoesNotWait) {
  const auto all = play(25, 1000, [](auto pts, int) { return pts < 10s ? pts : pts + 150ms; });
  EXPECT_EQ(longest_wait(all), 0ms);
}

TEST(DejitterTest, AShorterPathWaitsForAWhileOnly) {
  const auto all = play(25, 1000, [](auto pts, int) { return pts < 10s ? pts + 150ms : pts; });
  EXPECT_EQ(longest_wait(all), 150ms);
  EXPECT_EQ(longest_wait(all, 17s), 0ms);
}

TEST(DejitterTest, AGapOfTheSourceDoesNotWait) {
  Dejitter dejitter;
  const auto even = [](auto pts, int) { return pts; };
  play(dejitter, 25, 100, even);
  EXPECT_EQ(longest_wait(play(dejitter, 25, 100, even, 20s)), 0ms);
}

TEST(DejitterTest, ANewRateDoesNotWait) {
  Dejitter dejitter;
  const auto even = [](auto pts, int) { return pts; };
  play(dejitter, 25, 100, even);
  EXPECT_EQ(longest_wait(play(dejitter, 100, 400, even, 4s)), 0ms);
  EXPECT_EQ(longest_wait(play(dejitter, 1, 20, even, 8s)), 0ms);
}

TEST(DejitterTest, RestartForgetsTheJitter) {
  Dejitter dejitter;
  play(dejitter, 25, 100, in_bursts(200ms));
  EXPECT_GT(dejitter.longest_wait(), 100ms);
  dejitter.restart();
  EXPECT_EQ(dejitter.longest_wait(), 0ms);
  const auto all = play(
      dejitter, 25, 100, [](auto pts, int) { return pts; }, 10s);
  EXPECT_EQ(longest_wait(all), 0ms);
}

TEST(DejitterTest, ReportsTheLongestWaitOfTheLastSeconds) {
  Dejitter dejitter;
  play(dejitter, 25, 200, in_bursts(200ms));
  EXPECT_EQ(dejitter.longest_wait(), 160ms);
  play(
      dejitter, 25, 400, [](auto pts, int) { return pts + 200ms; }, 8s);
  EXPECT_EQ(dejitter.longest_wait(), 0ms);
}

}  // namespace
}  // namespace transcoder
