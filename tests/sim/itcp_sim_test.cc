// The iTCP policy against a path whose capacity changes, in virtual time.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "abr/rate_policy.h"
#include "fluid_path.h"

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::Duration;

constexpr Duration kFrame = 33'333'333ns;

struct Point {
  Duration at;
  BitRate rate;
  Duration delay;
};

/// 30 pictures/s at the policy's rate over `path` for `length`.
std::vector<Point> stream(abr::PolicyKind kind, sim::FluidPath path, Duration length,
                          const abr::ItcpSettings& itcp = {}) {
  const abr::Settings settings{
      .policy = kind,
      .rate = {.min = BitRate::kbps(300), .max = BitRate::mbps(4), .start = BitRate::mbps(4)},
      .itcp = itcp,
      .groups = {}};
  const auto policy = abr::make_policy(settings);
  const base::Time start{1h};
  std::vector<Point> points;
  BitRate rate = policy->decide({}, start).rate;
  for (Duration t{}; t < length; t += kFrame) {
    const auto events = path.advance(rate * kFrame, kFrame);
    rate = policy
               ->decide({.rexmt = events.rexmt,
                         .dupack = events.dupack,
                         .srtt = path.smoothed_rtt(),
                         .backlog = path.unsent() / rate,
                         .served = rate},
                        start + t)
               .rate;
    points.push_back({t, rate, path.delay()});
  }
  return points;
}

/// 5 Mbit/s, but 1 Mbit/s between 10 s and 40 s.
BitRate dip(Duration t) { return t >= 10s && t < 40s ? BitRate::mbps(1) : BitRate::mbps(5); }

sim::FluidPath dipping_path() { return {dip, 40ms, base::ByteCount{32'000}}; }

std::vector<Duration> delays(const std::vector<Point>& points, Duration from, Duration to) {
  std::vector<Duration> result;
  for (const auto& p : points) {
    if (p.at >= from && p.at < to) result.push_back(p.delay);
  }
  std::ranges::sort(result);
  return result;
}

Duration p95(const std::vector<Duration>& sorted) { return sorted[sorted.size() * 95 / 100]; }

TEST(ItcpSimTest, OffLetsTheDelayGrowBySeconds) {
  const auto points = stream(abr::PolicyKind::kOff, dipping_path(), 40s);
  EXPECT_GT(p95(delays(points, 10s, 40s)), 5s);
}

TEST(ItcpSimTest, TheRateFallsBelowTheLinkWithinASecond) {
  const auto points = stream(abr::PolicyKind::kItcp, dipping_path(), 40s);
  const auto below = std::ranges::find_if(
      points, [](const Point& p) { return p.at >= 10s && p.rate <= BitRate::mbps(1); });
  ASSERT_NE(below, points.end());
  EXPECT_LT(below->at, 11s);
}

TEST(ItcpSimTest, TheDelayIsShortAgainWhileTheLinkIsSlow) {
  const auto points = stream(abr::PolicyKind::kItcp, dipping_path(), 40s);
  EXPECT_LT(p95(delays(points, 25s, 40s)), 500ms);
}

TEST(ItcpSimTest, TheRateReturnsWithTheCapacity) {
  const auto points = stream(abr::PolicyKind::kItcp, dipping_path(), 80s);
  EXPECT_EQ(points.back().rate, BitRate::mbps(4));
}

TEST(ItcpSimTest, ACleanPathKeepsTheFullRate) {
  const auto points =
      stream(abr::PolicyKind::kItcp,
             {[](Duration) { return BitRate::mbps(5); }, 40ms, base::ByteCount{64'000}}, 60s);
  EXPECT_TRUE(
      std::ranges::all_of(points, [](const Point& p) { return p.rate == BitRate::mbps(4); }));
}

TEST(ItcpSimTest, AnOutageRetractsByTimeouts) {
  const auto outage = [](Duration t) { return t >= 5s && t < 6s ? BitRate{0} : BitRate::mbps(5); };
  const auto points =
      stream(abr::PolicyKind::kItcp, {outage, 40ms, base::ByteCount{1'000'000}}, 40s);
  const auto lowest = std::ranges::min_element(points, {}, &Point::rate);
  EXPECT_LE(lowest->rate, 0.55 * BitRate::mbps(4));
  EXPECT_EQ(points.back().rate, BitRate::mbps(4));
}

// A window smaller than the bottleneck's queue loses nothing: after the outage only what waits
// unsent says that the path has become slow.
TEST(ItcpSimTest, ABacklogAloneKeepsTheRateFromRising) {
  constexpr BitRate kSlow = BitRate::mbps(2.5);
  const auto outage_then_slow = [&](Duration t) {
    if (t < 10s) return BitRate::mbps(5);
    return t < 11s ? BitRate{0} : kSlow;
  };
  const auto last_rate = [&](Duration quiet_backlog) {
    abr::ItcpSettings itcp;
    itcp.quiet_backlog = quiet_backlog;
    const sim::FluidPath path{outage_then_slow, 40ms, base::ByteCount{128'000},
                              base::ByteCount{32'000}};
    return stream(abr::PolicyKind::kItcp, path, 60s, itcp).back().rate;
  };
  const abr::ItcpSettings usual;
  // A step just above the path fills the window first, and shows by the next one.
  const BitRate two_steps = 2 * usual.restore_step * BitRate::mbps(4);
  EXPECT_EQ(last_rate(1h), BitRate::mbps(4));
  EXPECT_LE(last_rate(usual.quiet_backlog), kSlow + two_steps);
}

TEST(ItcpSimTest, TheRateStaysWithinItsLimitsOnAnyPath) {
  const auto wild = [](Duration t) {
    return BitRate::kbps(100 + 1000 * (t.count() / 1'000'000'000 * 7919 % 6));
  };
  for (const auto& p :
       stream(abr::PolicyKind::kItcp, {wild, 100ms, base::ByteCount{20'000}}, 120s)) {
    ASSERT_GE(p.rate, BitRate::kbps(300));
    ASSERT_LE(p.rate, BitRate::mbps(4));
  }
}

}  // namespace
