// The iTCP policy against a link whose capacity changes, in virtual time.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "abr/policy/make_policy.h"
#include "figures.h"
#include "scenario.h"

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using base::Duration;
using sim::FrameRecord;
using sim::Scenario;
using sim::Simulation;

constexpr abr::RateLimits kLimits{
    .min = BitRate::kbps(300), .max = BitRate::mbps(4), .start = BitRate::mbps(4)};

netlab::LinkSettings link(double mbps, ByteCount queue) {
  return {.rate = BitRate::mbps(mbps), .queue = queue};
}

/// One viewer's frames under `policy`, for `length`.
std::vector<FrameRecord> stream(Scenario scenario, Duration length, abr::PolicyKind policy,
                                const abr::ItcpSettings& itcp = {}) {
  scenario.limits = kLimits;
  auto simulation = sim::simulate(
      scenario,
      [&](const Scenario&) {
        return abr::make_policy({.policy = policy, .rate = kLimits, .itcp = itcp, .groups = {}});
      },
      1);
  simulation.run(length);
  return simulation.session(0)->frames();
}

std::vector<FrameRecord> stream_itcp(const Scenario& scenario, Duration length) {
  return stream(scenario, length, abr::PolicyKind::kItcp);
}

/// 5 Mbit/s, but 1 Mbit/s between 10 s and 40 s.
Scenario dip() {
  constexpr ByteCount kQueue{32'000};
  return {.name = "dip",
          .link = link(5, kQueue),
          .changes = {{10s, link(1, kQueue)}, {40s, link(5, kQueue)}}};
}

Duration since_start(base::Time time) { return time - Simulation::kStart; }

/// p95 delay of the frames that were captured from `from` to `to` and arrived.
Duration p95_delay(const std::vector<FrameRecord>& frames, Duration from, Duration to) {
  std::vector<Duration> delays;
  for (const auto& frame : frames) {
    const auto at = since_start(frame.captured);
    if (at >= from && at < to && frame.arrived) {
      delays.push_back(*frame.arrived - frame.captured);
    }
  }
  return sim::percentile(delays, 0.95);
}

// The viewer's queue holds one second.
TEST(ItcpSimTest, WithoutControlTheDelayGrowsToTheQueuesLength) {
  const auto frames = stream(dip(), 40s, abr::PolicyKind::kOff);
  EXPECT_GT(p95_delay(frames, 10s, 40s), 1s);
}

// TCP reports one loss per recovery, and recoveries are long while the queue keeps overflowing.
TEST(ItcpSimTest, TheRateFallsBelowTheLinkWithinFiveSeconds) {
  const auto frames = stream_itcp(dip(), 40s);
  const auto below = std::ranges::find_if(frames, [](const FrameRecord& frame) {
    return since_start(frame.captured) >= 10s && frame.target <= BitRate::mbps(1);
  });
  ASSERT_NE(below, frames.end());
  EXPECT_LT(since_start(below->captured), 15s);
}

TEST(ItcpSimTest, TheDelayIsShorterThanWithoutControl) {
  const auto frames = stream_itcp(dip(), 40s);
  const auto without = stream(dip(), 40s, abr::PolicyKind::kOff);
  EXPECT_LT(p95_delay(frames, 25s, 40s), p95_delay(without, 25s, 40s) / 2);
}

TEST(ItcpSimTest, TheRateReturnsWithTheCapacity) {
  EXPECT_EQ(stream_itcp(dip(), 80s).back().target, kLimits.max);
}

TEST(ItcpSimTest, ACleanPathKeepsTheFullRate) {
  const Scenario clean{.name = "clean", .link = link(5, ByteCount{64'000})};
  EXPECT_TRUE(std::ranges::all_of(stream_itcp(clean, 60s), [](const FrameRecord& frame) {
    return frame.target == kLimits.max;
  }));
}

TEST(ItcpSimTest, TimeoutsOfAnOutageRetractTheRate) {
  Scenario outage{.name = "outage", .link = link(5, ByteCount{1'000'000})};
  auto gone = outage.link;
  gone.blackhole = true;
  outage.changes = {{5s, gone}, {6s, outage.link}};
  const auto frames = stream_itcp(outage, 60s);
  const auto lowest = std::ranges::min_element(frames, {}, &FrameRecord::target);
  EXPECT_LE(lowest->target, 0.55 * kLimits.max);
  EXPECT_EQ(frames.back().target, kLimits.max);
}

// BBR keeps its window below the bottleneck's queue and loses nothing: after the outage only the
// unsent data shows that the path has become slow.
TEST(ItcpSimTest, ABacklogAloneKeepsTheRateFromRising) {
  constexpr double kSlow = 2.5;
  const auto queue = ByteCount{1'000'000};
  Scenario outage_then_slow{
      .name = "outage, then slow", .link = link(5, queue), .viewer = {.congestion_control = "bbr"}};
  auto gone = outage_then_slow.link;
  gone.blackhole = true;
  outage_then_slow.changes = {{10s, gone}, {11s, link(kSlow, queue)}};
  const auto last_rate = [&](Duration quiet_backlog) {
    abr::ItcpSettings itcp;
    itcp.quiet_backlog = quiet_backlog;
    return stream(outage_then_slow, 60s, abr::PolicyKind::kItcp, itcp).back().target;
  };
  const abr::ItcpSettings usual;
  // A step just above the path fills the window first, and becomes visible with the next one.
  const BitRate two_steps = 2 * usual.restore_step * kLimits.max;
  EXPECT_EQ(last_rate(1h), kLimits.max);
  EXPECT_LE(last_rate(usual.quiet_backlog), BitRate::mbps(kSlow) + two_steps);
}

TEST(ItcpSimTest, TheRateStaysWithinItsLimitsOnAnyPath) {
  constexpr ByteCount kQueue{20'000};
  Scenario wild{.name = "wild", .link = link(1, kQueue), .viewer = {.round_trip = 100ms}};
  for (int second = 1; second < 120; ++second) {
    wild.changes.push_back({std::chrono::seconds{second}, link(0.1 + second * 7919 % 6, kQueue)});
  }
  for (const auto& frame : stream_itcp(wild, 120s)) {
    ASSERT_GE(frame.target, kLimits.min);
    ASSERT_LE(frame.target, kLimits.max);
  }
}

}  // namespace
