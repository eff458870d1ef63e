#include "scenario.h"

#include <fmt/format.h>

#include <algorithm>

#include "abr/policy/make_policy.h"
#include "oracle_policy.h"

namespace sim {

namespace {

constexpr double kPayloadShare = 1448.0 / 1500;
// Variation of the hosts' ACK times, less than that of the emulator's timers
// (netlab/README.md). An exact host would help too much: its minimum RTT repeats again and
// again.
constexpr base::Duration kHostJitter = std::chrono::microseconds{200};

double mbps(base::BitRate rate) { return static_cast<double>(rate.bps()) / 1e6; }
double ms(base::Duration time) { return 1e3 * base::seconds(time); }

}  // namespace

base::BitRate Scenario::payload(base::Duration at) const {
  const netlab::LinkSettings* now = &link;
  for (const auto& change : changes) {
    if (change.at <= at) now = &change.settings;
  }
  if (now->blackhole) return {};
  const auto active = std::ranges::count_if(others, [&](const Simulation::Flow& flow) {
    return !flow.web && flow.start <= at && at < flow.stop;
  });
  std::size_t users = static_cast<std::size_t>(active) + 1;
  for (std::size_t i = 1; i < viewers; ++i) users += start_of(i) <= at;
  return (kPayloadShare / static_cast<double>(users)) * now->rate;
}

std::string Scenario::describe() const {
  auto text = fmt::format("{}: {} {:.2f} Mbit/s {:.0f} ms queue {} kB max {:.1f} Mbit/s", name,
                          viewer.congestion_control, mbps(link.rate), ms(viewer.round_trip),
                          link.queue.bytes() / 1000, mbps(limits.max));
  if (link.loss > 0) text += fmt::format(" loss {:.2f} %", 100 * link.loss);
  if (link.burst_enter > 0) {
    text += fmt::format(" bursts {:.2f} % of {:.0f}", 100 * link.burst_enter, 1 / link.burst_leave);
  }
  if (link.bucket.bytes() > 0) {
    text += fmt::format(" bucket {} kB at {:.1f}", link.bucket.bytes() / 1000, mbps(link.peak));
  }
  if (link.fair) text += " FQ";
  if (link.codel) text += " CoDel";
  if (container.frame == kFlv.frame) text += " FLV";
  if (viewers > 1) text += fmt::format(" {} viewers", viewers);
  if (!viewer.eager) text += " delayed-acks";
  if (viewer.acks.aggregate.count() > 0) {
    text += fmt::format(" aggregated {:.0f} ms", ms(viewer.acks.aggregate));
  }
  for (const auto& change : changes) {
    text += fmt::format(" {:.0f}s:{:.2f}", base::seconds(change.at), mbps(change.settings.rate));
  }
  for (const auto& other : others) {
    text += fmt::format(" beside {}{} {:.0f} ms {:.0f}-{:.0f} s", other.web ? "web " : "",
                        other.congestion_control, ms(other.round_trip), base::seconds(other.start),
                        base::seconds(std::min(other.stop, length)));
  }
  return text;
}

MakePolicy policy_of(abr::PolicyKind kind) {
  return [kind](const Scenario& scenario) {
    return abr::make_policy({.policy = kind, .rate = scenario.limits, .itcp = {}, .groups = {}});
  };
}

MakePolicy oracle(bool lags) {
  return [lags](const Scenario& scenario) -> std::unique_ptr<abr::RatePolicy> {
    const auto lag =
        lags ? scenario.viewer.round_trip + std::chrono::milliseconds{40} : base::Duration{};
    return std::make_unique<OraclePolicy>(
        scenario.limits,
        [&scenario](base::Time now) { return scenario.payload(now - Simulation::kStart); }, lag);
  };
}

Simulation simulate(const Scenario& scenario, const MakePolicy& policy, std::uint64_t seed) {
  std::vector<Simulation::Flow> flows(scenario.viewers, scenario.viewer);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    flows[i].start = scenario.start_of(i);
    if (!scenario.begin.empty()) flows[i].congestion_control = scenario.begin.at(i);
    flows[i].video = VideoSession::Settings{
        .policy = [&scenario, policy] { return policy(scenario); },
        .encoder = scenario.encoder,
        .container = scenario.container,
        .max_rate = scenario.limits.max,
        .shared_group = scenario.shared_group,
        .watches_rtt = scenario.watches_rtt,
        .neighbours = static_cast<unsigned>(scenario.viewers - 1),
        .chooses_congestion_control = scenario.viewer.congestion_control == "auto"};
  }
  flows.insert(flows.end(), scenario.others.begin(), scenario.others.end());
  for (auto& flow : flows) flow.acks.jitter = kHostJitter;
  return {scenario.link, scenario.changes, flows, seed};
}

}  // namespace sim
