// The simulator must reproduce the known behaviour of TCP over a bottleneck.

#include "simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "abr/policy/make_policy.h"
#include "abr/policy/off_policy.h"
#include "family.h"
#include "figures.h"
#include "scenario.h"

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::ByteCount;
using base::Duration;
using sim::Simulation;
using sim::TcpSender;

constexpr double kPayloadShare = 1448.0 / 1500;
constexpr Duration kRoundTrip = 40ms;
const netlab::LinkSettings kLink{.rate = BitRate::mbps(10),
                                 .queue = BitRate::mbps(10) * Duration{100ms}};

netlab::LinkSettings lossy(double loss) {
  auto link = kLink;
  link.loss = loss;
  return link;
}

Simulation::Flow bulk(const std::string& congestion_control) {
  return {.congestion_control = congestion_control, .round_trip = kRoundTrip};
}

/// Bytes that each flow delivers between `from` and `to`.
std::vector<double> deliver(Simulation& simulation, std::size_t flows, Duration from, Duration to) {
  simulation.run(from);
  std::vector<double> bytes;
  for (std::size_t i = 0; i < flows; ++i) {
    bytes.push_back(-static_cast<double>(simulation.sender(i).state().delivered.bytes()));
  }
  simulation.run(to);
  for (std::size_t i = 0; i < flows; ++i) {
    bytes[i] += static_cast<double>(simulation.sender(i).state().delivered.bytes());
  }
  return bytes;
}

/// Share of the link's payload that one bulk flow delivers between 10 and 40 s.
double utilisation(Simulation& simulation) {
  const double bytes = deliver(simulation, 1, 10s, 40s)[0];
  return bytes / static_cast<double>((kPayloadShare * kLink.rate * Duration{30s}).bytes());
}

/// Whether BBR enters PROBE_RTT between 9 and 25 s.
bool enters_probe_rtt(Simulation& simulation) {
  bool entered = false;
  for (Duration at = 9s; at < 25s; at += 10ms) {
    simulation.run(at);
    entered |= simulation.sender(0).control().window() <= 4;
  }
  return entered;
}

struct ProbeRtt {
  Duration begin{};
  Duration length{};
};

/// Runs up to the end of the first PROBE_RTT after 9 s, in which BBR has at most four segments in
/// flight.
ProbeRtt run_probe_rtt(Simulation& simulation) {
  const auto probes = [&] {
    return simulation.sender(0).control().window() <= 4 &&
           simulation.sender(0).in_flight().bytes() <= 4 * std::int64_t{TcpSender::kMss};
  };
  ProbeRtt probe;
  for (Duration at = 9s; at < 30s; at += 1ms) {
    simulation.run(at);
    if (probes()) {
      if (probe.length.count() == 0) probe.begin = at;
      probe.length = at - probe.begin + 1ms;
    } else if (probe.length.count() > 0) {
      break;
    }
  }
  return probe;
}

bool enters_probe_rtt_for_video(abr::PolicyKind policy) {
  auto flow = bulk("bbr");
  flow.video = sim::VideoSession::Settings{
      .policy = [policy] { return abr::make_policy({.policy = policy}); }};
  Simulation simulation{kLink, {}, {flow}, 1};
  return enters_probe_rtt(simulation);
}

TEST(SimulationTest, ACubicFlowFillsTheLinkAndLosesAtTheTail) {
  Simulation simulation{kLink, {}, {bulk("cubic")}, 1};
  EXPECT_GE(utilisation(simulation), 0.95);
  const auto& state = simulation.sender(0).state();
  EXPECT_GT(simulation.bottleneck().counters().dropped_queue, 0u);
  EXPECT_GT(state.dupack, 0u);
  EXPECT_EQ(state.rexmt, 0u);
  EXPECT_GT(simulation.bottleneck().counters().queue_high_water, kLink.queue - ByteCount{1500});
}

TEST(SimulationTest, ACubicFlowRetransmitsOnlyDroppedSegments) {
  Simulation simulation{kLink, {}, {bulk("cubic")}, 1};
  simulation.run(40s);
  const auto dropped = simulation.bottleneck().counters().dropped_queue;
  EXPECT_LE(simulation.sender(0).state().retransmits, dropped + dropped / 10 + 1);
}

TEST(SimulationTest, ACubicFlowGrowsBackInTheTimeOfRfc9438) {
  Simulation simulation{kLink, {}, {bulk("cubic")}, 1};
  simulation.run(20s);
  const auto before = simulation.sender(0).state().dupack;
  simulation.run(60s);
  const auto losses = simulation.sender(0).state().dupack - before;
  // W_max is the pipe and the queue; K = cbrt(0.3 W_max / 0.4) (equation 2).
  const double packets =
      static_cast<double>((kLink.rate * (kRoundTrip + Duration{100ms})).bytes()) / 1500;
  const double k = std::cbrt(0.3 * packets / 0.4);
  EXPECT_NEAR(losses, 40 / k, 4);
}

TEST(SimulationTest, AnOutageDoublesTheTimeoutUntilTheFlowReturns) {
  auto gone = kLink;
  gone.blackhole = true;
  Simulation simulation{kLink, {{10s, gone}, {15s, kLink}}, {bulk("cubic")}, 1};
  simulation.run(15s);
  // The first timeout is 0.3 to 0.4 s, and it doubles each time.
  EXPECT_GE(simulation.sender(0).state().rexmt, 3u);
  EXPECT_LE(simulation.sender(0).state().rexmt, 4u);
  EXPECT_GE(utilisation(simulation), 0.5);
  EXPECT_FALSE(simulation.sender(0).state().recovering);
}

TEST(SimulationTest, BbrFillsTheLinkAndKeepsTheQueueBelowTwoPipes) {
  Simulation simulation{kLink, {}, {bulk("bbr")}, 1};
  EXPECT_GE(utilisation(simulation), 0.95);
  const auto pipe = kLink.rate * kRoundTrip;
  std::int64_t sum = 0;
  ByteCount most;
  for (int i = 0; i < 100; ++i) {
    simulation.run(40s + i * 20ms);
    sum += simulation.bottleneck().queued().bytes();
    most = std::max(most, simulation.bottleneck().queued());
  }
  EXPECT_LT(most.bytes(), 2 * pipe.bytes());
  EXPECT_LT(sum / 100, pipe.bytes());
  EXPECT_EQ(simulation.bottleneck().counters().dropped_queue, 0u);
}

TEST(SimulationTest, BbrMeasuresTheRoundTripEveryTenSeconds) {
  Simulation simulation{kLink, {}, {bulk("bbr")}, 1};
  EXPECT_TRUE(enters_probe_rtt(simulation));
}

// PROBE_RTT lasts for twenty round trips; the maximum of the bandwidth covers ten.
TEST(SimulationTest, BbrRemembersTheBandwidthDuringProbeRtt) {
  auto flow = bulk("bbr");
  flow.round_trip = 10ms;
  Simulation simulation{kLink, {}, {flow}, 1};
  const auto probe = run_probe_rtt(simulation);
  ASSERT_GE(probe.length, 200ms);
  EXPECT_GE(simulation.sender(0).control().pacing(), 0.7 * kLink.rate);
}

TEST(SimulationTest, ProbeRttLastsForARoundTripIfThatIsLonger) {
  auto slow = kLink;
  slow.rate = BitRate::kbps(50);
  Simulation simulation{slow, {}, {bulk("bbr")}, 1};
  EXPECT_GE(run_probe_rtt(simulation).length, kRoundTrip + ByteCount{1500} / slow.rate);
}

TEST(SimulationTest, BbrEntersProbeRttForVideoUnlessThePolicyRenewsIt) {
  EXPECT_TRUE(enters_probe_rtt_for_video(abr::PolicyKind::kOff));
  EXPECT_FALSE(enters_probe_rtt_for_video(abr::PolicyKind::kSymbiosis));
}

TEST(SimulationTest, RandomLossLimitsCubicToItsResponseFunction) {
  Simulation simulation{lossy(0.01), {}, {bulk("cubic")}, 1};
  const double bytes = deliver(simulation, 1, 10s, 70s)[0];
  // RFC 9438, 5.1, where CUBIC behaves like Reno: sqrt(3/2p) segments per round trip.
  const double expected = std::sqrt(1.5 / 0.01) * TcpSender::kMss * 60 / 0.04;
  EXPECT_GT(bytes, 0.6 * expected);
  EXPECT_LT(bytes, 1.6 * expected);
}

TEST(SimulationTest, RandomLossDoesNotLimitBbr) {
  Simulation simulation{lossy(0.01), {}, {bulk("bbr")}, 1};
  EXPECT_GE(utilisation(simulation), 0.9);
}

TEST(SimulationTest, TwoCubicFlowsShareFairly) {
  auto second = bulk("cubic");
  second.start = 5s;
  Simulation simulation{kLink, {}, {bulk("cubic"), second}, 1};
  const auto bytes = deliver(simulation, 2, 20s, 80s);
  const double sum = bytes[0] + bytes[1];
  EXPECT_GE(sum * sum / (2 * (bytes[0] * bytes[0] + bytes[1] * bytes[1])), 0.9);
}

TEST(SimulationTest, DelayedAcknowledgementsDoNotSlowTheFlow) {
  auto flow = bulk("cubic");
  flow.eager = false;
  Simulation simulation{kLink, {}, {flow}, 1};
  EXPECT_GE(utilisation(simulation), 0.95);
}

TEST(SimulationTest, AggregatedAcknowledgementsDoNotSlowTheFlow) {
  auto flow = bulk("cubic");
  flow.acks.aggregate = 40ms;
  Simulation simulation{kLink, {}, {flow}, 1};
  EXPECT_GE(utilisation(simulation), 0.95);
}

TEST(SimulationTest, CoDelKeepsTheQueueShort) {
  auto link = kLink;
  link.codel = true;
  Simulation simulation{link, {}, {bulk("cubic")}, 1};
  EXPECT_GE(utilisation(simulation), 0.8);
  EXPECT_LT(simulation.bottleneck().queued(), kLink.rate * Duration{50ms});
}

/// A viewer that always gets 4 Mbit/s.
Simulation::Flow stubborn_viewer() {
  auto flow = bulk("cubic");
  flow.video = sim::VideoSession::Settings{.policy = [] {
    return std::make_unique<abr::OffPolicy>(
        abr::RateLimits{.max = BitRate::mbps(4), .start = BitRate::mbps(4)});
  }};
  return flow;
}

TEST(SimulationTest, UnsentDataIsBoundedByTheMarkAndAFrame) {
  auto slow = kLink;
  slow.rate = BitRate::mbps(1);
  Simulation simulation{slow, {}, {stubborn_viewer()}, 1};
  simulation.run(1ms);
  ByteCount most;
  ByteCount longest_frame;
  simulation.session(0)->on_decision = [&](base::Time, const abr::Observation& seen,
                                           const abr::Decision&) {
    most = std::max(most, seen.notsent);
    for (const auto& frame : seen.frames) {
      longest_frame = std::max(longest_frame, frame.size);
    }
  };
  simulation.run(20s);
  const auto mark = BitRate::mbps(4) * Duration{40ms};
  EXPECT_GT(most, mark);
  EXPECT_LE(most, mark + longest_frame);
}

TEST(SimulationTest, AnIdleLinkDeliversFramesWithinTheirSerialisation) {
  auto fast = kLink;
  fast.rate = BitRate::mbps(100);
  Simulation simulation{fast, {}, {stubborn_viewer()}, 1};
  simulation.run(20s);
  int arrived = 0;
  for (const auto& frame : simulation.session(0)->frames()) {
    if (frame.captured < Simulation::kStart + 1s || !frame.arrived) continue;
    EXPECT_LT(*frame.arrived - frame.captured, 12ms);
    ++arrived;
  }
  EXPECT_GE(arrived, 19 * 30 - 1);  // the last may be on its way
}

/// Delivered in the second half of a minute to a viewer whose acknowledgements come in bunches,
/// over a short path of 40 Mbit/s.
BitRate delivered_in_bunches(const char* congestion_control) {
  sim::Scenario scenario{.link = {.rate = BitRate::mbps(40), .queue = ByteCount{500'000}}};
  scenario.viewer.congestion_control = congestion_control;
  scenario.viewer.round_trip = 6ms;
  scenario.viewer.acks.aggregate = 40ms;
  scenario.limits.max = BitRate::mbps(8);
  auto simulation = sim::simulate(scenario, sim::policy_of(abr::PolicyKind::kSymbiosis), 1);
  simulation.run(30s);
  const auto before = simulation.sender(0).state().delivered;
  simulation.run(60s);
  return BitRate::of(simulation.sender(0).state().delivered - before, Duration{30s});
}

TEST(SimulationTest, AutoLeavesBbrWhosePacingHidesThePath) {
  const auto bbr = delivered_in_bunches("bbr");
  const auto automatic = delivered_in_bunches("auto");
  EXPECT_LT(bbr, 0.8 * automatic);
  EXPECT_GT(automatic, BitRate::mbps(7));
}

// A token bucket and bunched acknowledgements hide a fall from 13 to 2.5 and to 1 Mbit/s. That
// looks like cross traffic, and the queue has room for 13 s.
TEST(SimulationTest, AQueueOfOursThatLooksLikeOthersDoesNotGrow) {
  for (const char* control : {"bbr", "cubic"}) {
    auto scenario = sim::family_scenario(229);
    scenario.viewer.congestion_control = control;
    auto simulation = sim::simulate(scenario, sim::policy_of(abr::PolicyKind::kSymbiosis), 1);
    simulation.run(scenario.length);
    EXPECT_LT(sim::summarise(sim::view_all(simulation, scenario)).p95, 1500ms) << control;
  }
}

TEST(SimulationTest, TheSameSeedRepeatsTheRun) {
  const auto delivered = [](std::uint64_t seed) {
    Simulation simulation{lossy(0.01), {}, {bulk("cubic")}, seed};
    simulation.run(20s);
    return simulation.sender(0).state().delivered;
  };
  EXPECT_EQ(delivered(7), delivered(7));
  EXPECT_NE(delivered(7), delivered(8));
}

}  // namespace
