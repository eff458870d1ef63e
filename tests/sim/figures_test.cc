#include "figures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <vector>

#include "oracle_policy.h"

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using base::Duration;
using sim::FrameRecord;
using sim::Scenario;
using sim::Viewing;

constexpr auto kStart = sim::Simulation::kStart;
constexpr ByteCount kSize{10'000};

/// Ten frames per second, each of which arrives after `delay`.
std::vector<FrameRecord> frames(Duration length, Duration delay, BitRate target) {
  std::vector<FrameRecord> all;
  for (Duration at{}; at < length; at += 100ms) {
    all.push_back(
        {.captured = kStart + at, .target = target, .arrived = kStart + at + delay, .size = kSize});
  }
  return all;
}

Scenario constant() { return {.name = "", .link = {.rate = BitRate::mbps(10)}, .length = 20s}; }

/// 10 Mbit/s, 2 Mbit/s from 8 s on, 10 Mbit/s again from 12 s on.
Scenario dip() {
  auto scenario = constant();
  auto slow = scenario.link;
  slow.rate = BitRate::mbps(2);
  scenario.changes = {{8s, slow}, {12s, scenario.link}};
  return scenario;
}

TEST(FiguresTest, TheFramesOfTheStartAndTheEndDoNotCount) {
  const auto viewing =
      sim::view(frames(20s, 20ms, BitRate::mbps(1)), constant(), sim::kSettlingTime);
  EXPECT_EQ(viewing.delays.size(), 151u);  // 3 s to 18 s
  EXPECT_EQ(viewing.shown.bytes(), 151 * kSize.bytes());
  EXPECT_EQ(viewing.seconds, std::vector(15, ByteCount{10 * kSize.bytes()}));
}

TEST(FiguresTest, AFrameThatNeverArrivesIsLateUntilTheNextOne) {
  auto all = frames(20s, 20ms, BitRate::mbps(1));
  all[100].arrived = std::nullopt;
  const auto figures = sim::summarise({sim::view(all, constant(), sim::kSettlingTime)});
  EXPECT_EQ(figures.max, 120ms);
  EXPECT_EQ(figures.p50, 20ms);
}

TEST(FiguresTest, LateIsMoreThan200Milliseconds) {
  auto all = frames(20s, 200ms, BitRate::mbps(1));
  all[100].arrived = all[100].captured + 201ms;
  const auto figures = sim::summarise({sim::view(all, constant(), sim::kSettlingTime)});
  EXPECT_NEAR(figures.late, 1.0 / 151, 1e-9);
}

TEST(FiguresTest, TheTimeToFollowAFallEndsWithTheFirstTargetBelowIt) {
  auto all = frames(20s, 20ms, BitRate::mbps(5));
  for (auto& frame : all) {
    if (frame.captured >= kStart + 8500ms) frame.target = BitRate::mbps(1);
  }
  const auto viewing = sim::view(all, dip(), sim::kSettlingTime);
  ASSERT_EQ(viewing.followed.size(), 1u);
  EXPECT_EQ(viewing.followed[0], 500ms);
}

TEST(FiguresTest, TheTimeToReturnEndsAtNineTenthsOfTheOraclesRate) {
  const auto scenario = dip();
  const auto best =
      sim::OraclePolicy::rate(scenario.payload(12s), scenario.limits, sim::kTransport);
  auto all = frames(20s, 20ms, BitRate::mbps(1));
  for (auto& frame : all) {
    if (frame.captured >= kStart + 13s) frame.target = 0.89 * best;
    if (frame.captured >= kStart + 14s) frame.target = 0.91 * best;
  }
  const auto viewing = sim::view(all, scenario, sim::kSettlingTime);
  ASSERT_EQ(viewing.returned.size(), 1u);
  EXPECT_EQ(viewing.returned[0], 2s);
}

/// At 1 Mbit/s after the dip, but at the oracle's rate from `from` to `to`.
std::vector<Duration> returned(const Scenario& scenario, Duration from, Duration to) {
  auto all = frames(20s, 20ms, BitRate::mbps(1));
  for (auto& frame : all) {
    const auto at = frame.captured - kStart;
    if (at >= from && at < to) {
      frame.target =
          sim::OraclePolicy::rate(scenario.payload(12s), scenario.limits, sim::kTransport);
    }
  }
  return sim::view(all, scenario, sim::kSettlingTime).returned;
}

TEST(FiguresTest, AReturnHasToHoldFor200Milliseconds) {
  EXPECT_EQ(returned(dip(), 13s, 13s + 201ms), std::vector<Duration>{1s});
  EXPECT_EQ(returned(dip(), 13s, 13s + 200ms), std::vector<Duration>{sim::kNever});
}

TEST(FiguresTest, ARateThatNeverReturnsTakesForever) {
  const auto figures =
      sim::summarise({sim::view(frames(20s, 20ms, BitRate::mbps(1)), dip(), sim::kSettlingTime)});
  EXPECT_EQ(figures.recover, sim::kNever);
}

TEST(FiguresTest, JainsIndexOfRatesOneToThreeIsFourFifths) {
  Viewing first{.delays = {20ms}, .shown = ByteCount{1000}, .length = 10s};
  Viewing second{.delays = {30ms}, .shown = ByteCount{3000}, .length = 10s};
  const auto figures = sim::summarise({first, second});
  EXPECT_DOUBLE_EQ(figures.fairness, 0.8);
  EXPECT_EQ(figures.rate, BitRate::of(ByteCount{2000}, 10s));
  EXPECT_EQ(figures.max, 30ms);
}

TEST(FiguresTest, ViewersAndBulkFlowsShareThePayload) {
  auto scenario = constant();
  scenario.viewers = 2;
  scenario.others = {{.start = 10s, .stop = 15s}};
  const auto payload = (1448.0 / 1500) * BitRate::mbps(10);
  EXPECT_EQ(scenario.payload(1s), payload);
  EXPECT_EQ(scenario.payload(5s), 0.5 * payload);
  EXPECT_NEAR(scenario.payload(12s) / payload, 1 / 3.0, 1e-6);
  EXPECT_EQ(scenario.payload(15s), 0.5 * payload);
}

TEST(FiguresTest, TheQualityOfExperienceIsTheRateLessChangesAndStandingPictures) {
  constexpr auto kLeast = BitRate::kbps(100);
  const auto seconds = [](std::vector<std::int64_t> kilobits) {
    Viewing viewing{.delays = {20ms, 20ms}};
    for (const auto shown : kilobits) viewing.seconds.emplace_back(shown * 1000 / 8);
    return viewing;
  };
  const auto quality = [&](const Viewing& viewing) {
    return sim::quality_of_experience(viewing, kLeast, 40ms, 500ms);
  };
  EXPECT_NEAR(quality(seconds({1000, 1000})), std::log(10), 1e-9);
  EXPECT_NEAR(quality(seconds({1000, 50})), (std::log(10) - std::log(10)) / 2, 1e-9);
  auto stands = seconds({1000, 1000});
  stands.delays = {20ms, 700ms};
  EXPECT_NEAR(quality(stands), std::log(10) - 2.66 * 0.2 / 2, 1e-9);
}

TEST(FiguresTest, ThePictureStandsWhileTheFrameThatIsDueIsMissing) {
  constexpr auto kPlayout = 500ms;
  EXPECT_EQ(sim::stalled({100ms, 500ms, 100ms}, 40ms, kPlayout), 0ms);
  EXPECT_EQ(sim::stalled({100ms, 600ms, 560ms, 520ms, 100ms}, 40ms, kPlayout), 100ms);
  EXPECT_EQ(sim::stalled({100ms, 600ms, 100ms, 100ms, 600ms}, 40ms, kPlayout), 200ms);
  EXPECT_EQ(sim::stalled({600ms, 600ms, 600ms}, 40ms, kPlayout),
            180ms);  // it moves, and is always late
}

}  // namespace
