// Properties that the policy `symbiosis` has on nearly all links, tested on random links in virtual
// time. A failure names the links and their seeds: SIM_SEED=17 runs that link alone, SIM_LINKS=500
// runs 500 links for each property. To print the policy's decisions on a link:
//   sim_table --random 17 --without steps --viewers 2 --seeds 1 --policy symbiosis --trace --flow 1

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "figures.h"
#include "scenario.h"

namespace {

using namespace std::chrono_literals;
using base::BitRate;
using base::Duration;
using sim::FrameRecord;
using sim::Scenario;
using sim::Simulation;

constexpr std::uint64_t kLinkCount = 60;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::stoull(value) : otherwise;
}

/// Checks the results of one link's viewers.
using Check = std::function<testing::AssertionResult(const Scenario&, Simulation&)>;

struct Property {
  sim::RandomFeatures features{};
  std::function<void(Scenario&)> adapt{};  ///< changes a random link; none if empty
  double exceptions = 0;                   ///< share of the links on which it need not hold
  Check check;
};

testing::AssertionResult holds_on(const Property& property, std::uint64_t seed) {
  auto scenario = sim::random_scenario(seed, property.features);
  if (property.adapt) property.adapt(scenario);
  auto simulation = sim::simulate(scenario, sim::policy_of(abr::PolicyKind::kSymbiosis), seed);
  simulation.run(scenario.length);
  const auto result = property.check(scenario, simulation);
  if (result) return result;
  return testing::AssertionFailure() << scenario.describe() << "\n    " << result.message();
}

/// Fails if the property does not hold on too many links, and prints those. With SIM_LINKS it
/// prints them in any case.
void expect(const Property& property) {
  if (const auto only = from_environment("SIM_SEED", 0); only > 0) {
    EXPECT_TRUE(holds_on(property, only));
    return;
  }
  const auto links = from_environment("SIM_LINKS", kLinkCount);
  std::string exceptions;
  std::uint64_t count = 0;
  for (std::uint64_t seed = 1; seed <= links; ++seed) {
    const auto result = holds_on(property, seed);
    if (result) continue;
    ++count;
    exceptions += std::string{"\n  "} + result.message();
  }
  if (std::getenv("SIM_LINKS"))
    std::cout << count << " of " << links << " links:" << exceptions << "\n";
  EXPECT_LE(static_cast<double>(count), property.exceptions * static_cast<double>(links))
      << exceptions;
}

testing::AssertionResult at_most(double value, double bound, const char* what) {
  if (value <= bound) return testing::AssertionSuccess();
  return testing::AssertionFailure() << what << ": " << value << ", at most " << bound;
}

testing::AssertionResult at_least(double value, double bound, const char* what) {
  if (value >= bound) return testing::AssertionSuccess();
  return testing::AssertionFailure() << what << ": " << value << ", at least " << bound;
}

const std::vector<FrameRecord>& frames_of(Simulation& simulation) {
  return simulation.session(0)->frames();
}

/// How often the rate changes direction, by a tenth at least.
int turns(const std::vector<FrameRecord>& frames, Duration from) {
  constexpr double kTurnRatio = 1.1;
  int turns = 0;
  bool rising = false;
  std::optional<BitRate> extreme;
  for (const auto& frame : frames) {
    if (frame.captured - Simulation::kStart < from) continue;
    const auto rate = frame.target;
    if (!extreme) extreme = rate;
    if (rising ? rate >= *extreme : rate <= *extreme) {
      extreme = rate;
    } else if (rising ? kTurnRatio * rate < *extreme : rate > kTurnRatio * *extreme) {
      rising = !rising;
      extreme = rate;
      ++turns;
    }
  }
  return turns;
}

/// How long after `change` frames take longer than `patience`, until none has for a second. A frame
/// that never arrives is late until the next one that does.
Duration drain_time(const std::vector<FrameRecord>& frames, Duration change, Duration end,
                    Duration patience) {
  Duration drained = change;
  const auto there = sim::arrivals(frames, Simulation::kStart + end);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto at = frames[i].captured - Simulation::kStart;
    if (at < change || at >= end) continue;
    if (at > drained + 1s) break;
    const auto arrived = there[i] - Simulation::kStart;
    if (arrived - at > patience) drained = std::max(drained, arrived);
  }
  return drained - change;
}

BitRate target_at(const std::vector<FrameRecord>& frames, Duration at) {
  const auto after = std::ranges::find_if(
      frames, [&](const FrameRecord& frame) { return frame.captured - Simulation::kStart >= at; });
  return after == frames.end() ? BitRate{} : after->target;
}

TEST(PolicyPropertyTest, TheRateIsWithinItsLimits) {
  expect({.check = [](const Scenario& scenario, Simulation& simulation) {
    const auto [least, most] = std::ranges::minmax(frames_of(simulation), {}, &FrameRecord::target);
    return testing::AssertionResult{least.target >= scenario.limits.min &&
                                    most.target <= scenario.limits.max};
  }});
}

TEST(PolicyPropertyTest, TheRateDoesNotFlapOnASteadyLink) {
  expect({.features = {.loss = false, .steps = false, .others = false, .rough = false},
          .exceptions = 0.05,
          .check = [](const Scenario&, Simulation& simulation) {
            return at_most(turns(frames_of(simulation), 10s), 10, "turns in 50 s");
          }});
}

TEST(PolicyPropertyTest, FewFramesAreLate) {
  expect({.features = {.others = false},
          .exceptions = 0.03,
          .check = [](const Scenario& scenario, Simulation& simulation) {
            const auto viewing = sim::view(frames_of(simulation), scenario, sim::kSettlingTime);
            const auto late = std::ranges::count_if(viewing.delays, [&](Duration delay) {
              return delay > scenario.viewer.round_trip + 500ms;
            });
            return at_most(static_cast<double>(late) / static_cast<double>(viewing.delays.size()),
                           0.05, "share of late frames");
          }});
}

// Before a sender can know of a fall from R to C, it has sent (R - C) (RTT + a frame) more than the
// path carries: that excess is the floor.
TEST(PolicyPropertyTest, TheBacklogDrainsAfterAFall) {
  const auto beyond_the_floor = [](const Scenario& scenario, Simulation& simulation) {
    const auto& frames = frames_of(simulation);
    const auto round_trip = scenario.viewer.round_trip;
    Duration worst{};
    for (std::size_t i = 0; i < scenario.changes.size(); ++i) {
      const auto at = scenario.changes[i].at;
      const auto end = i + 1 < scenario.changes.size() ? scenario.changes[i + 1].at
                                                       : scenario.length - sim::kEndTime;
      const auto carries = scenario.payload(at);
      if (carries >= scenario.payload(at - 1ns)) continue;
      const auto excess = sim::kTransport.wire(target_at(frames, at)) - carries;
      const auto floor = std::max(Duration{}, excess * (round_trip + 33ms) / carries);
      worst = std::max(worst, drain_time(frames, at, end, 200ms) - floor - round_trip);
    }
    return at_most(base::seconds(worst), 1, "seconds beyond the floor and a round trip");
  };
  expect({.features = {.loss = false, .others = false},
          .exceptions = 0.05,
          .check = beyond_the_floor});
}

// Nobody else is there. The link carries little more than the lowest rate, so that its queue drains
// only slowly, as a queue of others would.
TEST(PolicyPropertyTest, TheBacklogDrainsWhileALinkHasFaded) {
  static constexpr Duration kFade = 20s;
  static constexpr Duration kReturn = 40s;
  expect({.features = {.loss = false, .steps = false, .others = false},
          .adapt =
              [](Scenario& scenario) {
                auto faded = scenario.link;
                faded.rate = BitRate::kbps(250);
                scenario.changes = {{kFade, faded}, {kReturn, scenario.link}};
              },
          .exceptions = 0.1,
          .check =
              [](const Scenario& scenario, Simulation& simulation) {
                const auto& frames = frames_of(simulation);
                const auto round_trip = scenario.viewer.round_trip;
                const auto sent = sim::kTransport.wire(target_at(frames, kFade));
                const auto floor = sent * (round_trip + 33ms) / scenario.payload(kFade);
                const auto late = drain_time(frames, kFade, kReturn, round_trip + 300ms);
                return at_most(base::seconds(late - floor), 5, "seconds beyond the floor");
              }});
}

// A path that carries the audio and half of the lowest rate, or a little more. The data in
// flight needs a while.
TEST(PolicyPropertyTest, TheAudioIsOnTimeWhereTheLowestRateIsTooMuch) {
  static constexpr Duration kFaint = 20s;
  static constexpr Duration kDrained = 50s;
  static constexpr Duration kEnd = 70s;
  expect({.features = {.loss = false, .steps = false, .others = false},
          .adapt =
              [](Scenario& scenario) {
                scenario.container = sim::kFlv;
                auto faint = scenario.link;
                faint.rate = BitRate::kbps(100);
                scenario.changes = {{kFaint, faint}, {kEnd, scenario.link}};
                scenario.length = 75s;
              },
          .exceptions = 0.12,
          .check =
              [](const Scenario& scenario, Simulation& simulation) {
                std::vector<double> delays;
                const auto& audio = simulation.session(0)->audio();
                const auto heard = sim::arrivals(audio, Simulation::kStart + scenario.length);
                for (std::size_t i = 0; i < audio.size(); ++i) {
                  const auto at = audio[i].captured - Simulation::kStart;
                  if (at < kDrained || at > kEnd) continue;
                  delays.push_back(base::seconds(heard[i] - audio[i].captured));
                }
                return at_most(sim::percentile(delays, 0.95), 1.5, "seconds, p95 of the audio");
              }});
}

TEST(PolicyPropertyTest, TheRateReturnsWithTheCapacity) {
  expect({.features = {.loss = false, .others = false},
          .exceptions = 0.08,
          .check = [](const Scenario& scenario, Simulation& simulation) {
            const auto viewing = sim::view(frames_of(simulation), scenario, sim::kSettlingTime);
            const auto longest =
                viewing.returned.empty() ? Duration{} : *std::ranges::max_element(viewing.returned);
            return at_most(base::seconds(longest),
                           1 + 10 * base::seconds(scenario.viewer.round_trip), "seconds");
          }});
}

// The others leave as the link falls to less than was our share of it: the queue that stands then
// is ours alone, and looks as theirs did. The link needs a while for what stood in it.
TEST(PolicyPropertyTest, AQueueIsOursOnceTheOthersHaveGone) {
  static constexpr Duration kFall = 20s;
  expect({.features = {.loss = false, .steps = false, .others = false, .rough = false},
          .adapt =
              [](Scenario& scenario) {
                scenario.link.rate = std::max(scenario.link.rate, BitRate::mbps(3));
                scenario.others = {{.congestion_control = scenario.viewer.congestion_control,
                                    .round_trip = scenario.viewer.round_trip,
                                    .start = 5s,
                                    .stop = kFall}};
                auto fallen = scenario.link;
                fallen.rate = 0.2 * scenario.link.rate;
                scenario.changes = {{kFall, fallen}};
              },
          .exceptions = 0.05,
          .check =
              [](const Scenario& scenario, Simulation& simulation) {
                const auto& fallen = scenario.changes.front().settings;
                const auto late =
                    drain_time(frames_of(simulation), kFall, scenario.length - sim::kEndTime,
                               scenario.viewer.round_trip + 200ms);
                return at_most(base::seconds(late - fallen.queue / fallen.rate), 8,
                               "seconds until frames are on time, beyond the queue's");
              }});
}

// The link is slower than the sum of both start rates, so that a viewer has to give way.
void behind_one_link(Scenario& scenario) {
  scenario.viewers = 2;
  scenario.link.rate =
      std::clamp(scenario.link.rate, 0.75 * scenario.limits.start, 1.5 * scenario.limits.start);
  scenario.length = scenario.last_start() + 15s + 60s + sim::kEndTime;
}

sim::Figures of_both(const Scenario& scenario, Simulation& simulation) {
  std::vector<sim::Viewing> viewings;
  for (std::size_t i = 0; i < 2; ++i) {
    viewings.push_back(
        sim::view(simulation.session(i)->frames(), scenario, scenario.last_start() + 15s));
  }
  return sim::summarise(viewings);
}

// An index of 0.75 is a ratio of 3.73 to 1.
TEST(PolicyPropertyTest, TwoViewersShareFairly) {
  expect({.features = {.loss = false, .steps = false, .others = false},
          .adapt = behind_one_link,
          .exceptions = 0.01,
          .check = [](const Scenario& scenario, Simulation& simulation) {
            return at_least(of_both(scenario, simulation).fairness, 0.75, "Jain's index");
          }});
}

// The exceptions are mostly BBR, or CoDel, with a round trip above 150 ms.
TEST(PolicyPropertyTest, TwoViewersAreSeldomLate) {
  expect({.features = {.loss = false, .steps = false, .others = false},
          .adapt = behind_one_link,
          .exceptions = 0.08,
          .check = [](const Scenario& scenario, Simulation& simulation) {
            return at_most(of_both(scenario, simulation).late, 0.05, "late");
          }});
}

/// The share of the segments that a viewer alone on this link is sent again.
double sent_again(const Scenario& scenario) {
  auto simulation = sim::simulate(scenario, sim::policy_of(abr::PolicyKind::kSymbiosis), 1);
  simulation.run(scenario.length);
  const auto& sent = simulation.sender(0).state();
  return sent.retransmits * double{sim::TcpSender::kMss} /
         static_cast<double>(sent.delivered.bytes());
}

// The path carries more than the highest rate, so that the only losses are those of frames that
// come faster than it carries them.
TEST(PolicyPropertyTest, FramesFitIntoShortQueues) {
  for (const std::string control : {"cubic", "bbr"}) {
    for (const double mbps : {4, 8, 14, 20}) {
      for (const int packets : {5, 8, 12, 20}) {
        for (const Duration round_trip : {6ms, 30ms, 100ms}) {
          const Scenario scenario{
              .name = fmt::format("{} packets, {} ms, {}", packets, round_trip / 1ms, control),
              .link = {.rate = BitRate::mbps(mbps), .queue = base::ByteCount{1500 * packets}},
              .viewer = {.congestion_control = control, .round_trip = round_trip},
              .limits = {.max = BitRate::mbps(0.7 * mbps)}};
          EXPECT_LT(sent_again(scenario), 0.05) << scenario.describe();
        }
      }
    }
  }
}

// Its frames are too short to show the capacity, of which the start rate is half at most.
TEST(PolicyPropertyTest, StaticContentDoesNotLowerTheRate) {
  expect({.features = {.loss = false, .steps = false, .others = false},
          .adapt =
              [](Scenario& scenario) {
                scenario.link.rate = std::max(scenario.link.rate, 2 * scenario.limits.start);
                scenario.encoder.content = BitRate::kbps(400);
              },
          .exceptions = 0.05,
          .check =
              [](const Scenario& scenario, Simulation& simulation) {
                std::vector<double> shares;
                for (const auto& frame : frames_of(simulation)) {
                  if (frame.captured - Simulation::kStart < 5s) continue;
                  shares.push_back(frame.target / scenario.limits.start);
                }
                // The delayed ACK of a lone segment looks like a queue.
                const double least = scenario.viewer.eager ? 0.9 : 0.5;
                return at_least(sim::percentile(shares, 0.5), least, "of the first rate");
              }});
}

}  // namespace
