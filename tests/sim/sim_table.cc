// Compares the policies over simulated links; see --help.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <map>

#include "family.h"
#include "figures.h"
#include "scenario.h"

namespace {

using base::Duration;
using sim::Figures;
using sim::Scenario;

struct Options {
  std::vector<std::string> names;
  std::vector<std::string> policies{"itcp",      "dbr",   "delivery", "gcc",
                                    "symbiosis", "floor", "oracle"};
  int seeds = 5;
  int first_seed = 1;
  double percentile = 50;
  bool trace = false;
  std::size_t flow = 0;
  double from = 0;
  std::uint64_t random = 0;
  std::uint64_t family = 0;
  std::string control;
  std::size_t count = 1;
  std::vector<std::string> without;
  double content = 0;  // Mbit/s
  std::size_t viewers = 0;
  bool shared = false;
  bool unwatched = false;
  double ceiling = 0;
};

const std::vector<std::pair<std::string, sim::MakePolicy>> kPolicies{
    {"off", sim::policy_of(abr::PolicyKind::kOff)},
    {"itcp", sim::policy_of(abr::PolicyKind::kItcp)},
    {"dbr", sim::policy_of(abr::PolicyKind::kDbr)},
    {"delivery", sim::policy_of(abr::PolicyKind::kDelivery)},
    {"gcc", sim::policy_of(abr::PolicyKind::kGcc)},
    {"pudica", sim::policy_of(abr::PolicyKind::kPudica)},
    {"camel", sim::policy_of(abr::PolicyKind::kCamel)},
    {"vidaptive", sim::policy_of(abr::PolicyKind::kVidaptive)},
    {"symbiosis", sim::policy_of(abr::PolicyKind::kSymbiosis)},
    {"floor", sim::oracle(true)},
    {"oracle", sim::oracle(false)}};

double ms(Duration time) { return 1e3 * base::seconds(time); }
double mbps(base::BitRate rate) { return static_cast<double>(rate.bps()) / 1e6; }

void print_path(const abr::PathState& path) {
  fmt::print(
      " C {:5.2f}{} drain {:5.2f} cwnd-rate {:5.2f} backlog {:6} queueing {:5.1f}{}{}",
      mbps(path.capacity), path.capacity_recent ? "!" : " ", mbps(path.drain_rate),
      mbps(path.cwnd_rate), path.backlog.bytes(), ms(path.queueing_delay),
      path.cross_traffic ? fmt::format(" cross-traffic {:.1f}", mbps(path.highest)) : "",
      path.policer_rate.bps() > 0 ? fmt::format(" policed {:.2f}", mbps(path.policer_rate)) : "");
}

void print_decision(base::Time now, const abr::Observation& o, const abr::Decision& decision,
                    const abr::PathState& path) {
  fmt::print("{:8.3f} {:5.2f} {:9} in-flight {:6} cwnd {:3} notsent {:6} queued {:6} srtt {:5.1f}",
             base::seconds(now - sim::Simulation::kStart), mbps(decision.rate),
             abr::name(decision.reason), o.in_flight.bytes(), o.cwnd, o.notsent.bytes(),
             o.queued.bytes(), ms(o.srtt));
  print_path(path);
  if (path.queue_room.bytes() > 0) fmt::print(" room {}", path.queue_room.bytes());
  fmt::print("{}{}{}{}{}\n", o.rexmt > 0 ? " REXMT" : "", o.dupack > 0 ? " DUPACK" : "",
             decision.pause.count() > 0 ? fmt::format(" pause {:.0f}", ms(decision.pause)) : "",
             decision.discard ? " discard" : "", decision.padding.bytes() > 0 ? " pad" : "");
}

void trace(sim::Simulation& simulation, const Options& options) {
  simulation.run(std::max(base::from_seconds(options.from),
                          Scenario::kViewerInterval * static_cast<int>(options.flow)));
  sim::VideoSession* session = simulation.session(options.flow);
  if (!session) return;
  session->on_decision = [session](base::Time now, const auto& observation, const auto& decision) {
    print_decision(now, observation, decision, session->path());
  };
}

Figures run(const Scenario& scenario, const sim::MakePolicy& policy, std::uint64_t seed,
            const Options& options) {
  auto simulation = sim::simulate(scenario, policy, seed);
  if (options.trace) trace(simulation, options);
  simulation.run(scenario.length);
  return sim::summarise(sim::view_all(simulation, scenario));
}

std::string seconds_or_word(Duration time) {
  if (time == sim::kNever) return "never";
  return time < Duration{} ? "-" : fmt::format("{:.2f}", base::seconds(time));
}

/// Prints the values that `percent` of the seeds do not exceed.
void print_row(const std::string& scenario, const std::string& policy,
               const std::vector<Figures>& all, base::BitRate best, double percent) {
  const auto of = [&](auto Figures::*member) {
    std::vector<std::remove_reference_t<decltype(Figures{}.*member)>> values;
    for (const auto& figures : all) values.push_back(figures.*member);
    return sim::percentile(values, percent / 100);
  };
  fmt::print(
      "{:<26}{:<10}{:>7.0f}{:>7.0f}{:>7.0f}{:>7.0f}{:>7.0f}{:>7.1f}{:>7.1f}{:>7}{:>7}{:>7.1f}"
      "{:>7.2f}\n",
      scenario, policy, ms(of(&Figures::p50)), ms(of(&Figures::p95)), ms(of(&Figures::p99)),
      ms(of(&Figures::max)), ms(of(&Figures::audio)), 100 * of(&Figures::late),
      100 * (of(&Figures::rate) / best), seconds_or_word(of(&Figures::follow)),
      seconds_or_word(of(&Figures::recover)), 100 * of(&Figures::probed), of(&Figures::fairness));
}

void print_head(double percent) {
  fmt::print(
      "p50 to max  delay of frames beyond the one-way delay, in ms\n"
      "audio       95th percentile of the delay of the audio, in ms\n"
      "late%       share of frames with a delay above 200 ms\n"
      "rate%       share of the rate of a sender that knows the capacity\n"
      "follow      seconds until the target is within a lower capacity\n"
      "return      seconds until the target is 90 % of that sender's after a rise, for 200 ms\n"
      "            (both: the longest of a run; \"never\": not before the next change)\n"
      "probe%      share of padding in the written bytes\n"
      "Jain        fairness among the viewers\n"
      "Each value is the {} of the seeds.\n\n",
      percent == 50 ? "median" : fmt::format("{:.0f}th percentile", percent));
  fmt::print("{:<26}{:<10}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}\n", "scenario",
             "policy", "p50", "p95", "p99", "max", "audio", "late%", "rate%", "follow", "return",
             "probe%", "Jain");
}

/// Returns the number of simulated seconds.
double print_scenario(const Scenario& scenario, const Options& options) {
  const auto best = sim::oracle_rate(scenario);
  double simulated = 0;
  for (const auto& [name, policy] : kPolicies) {
    if (std::ranges::count(options.policies, name) == 0) continue;
    std::vector<Figures> all;
    const int first = options.random > 0 ? static_cast<int>(options.random) : options.first_seed;
    for (int seed = first; seed < first + options.seeds; ++seed) {
      all.push_back(run(scenario, policy, static_cast<std::uint64_t>(seed), options));
      simulated += base::seconds(scenario.length);
    }
    print_row(scenario.name, name, all, best, options.percentile);
  }
  return simulated;
}

sim::RandomFeatures features(const Options& options) {
  const auto with = [&](const char* what) {
    return std::ranges::count(options.without, what) == 0;
  };
  return {.loss = with("loss"),
          .steps = with("steps"),
          .others = with("others"),
          .rough = with("rough")};
}

void adapt(Scenario& scenario, const Options& options) {
  if (!options.control.empty()) scenario.viewer.congestion_control = options.control;
  if (options.content > 0) scenario.encoder.content = base::BitRate::mbps(options.content);
  scenario.shared_group = options.shared;
  scenario.watches_rtt = !options.unwatched;
  if (options.ceiling > 0) {
    scenario.limits.max = std::min(scenario.limits.max, options.ceiling * scenario.link.rate);
  }
  if (options.viewers == 0) return;
  scenario.viewers = options.viewers;
  scenario.length += scenario.last_start();
}

std::vector<Scenario> chosen(const Options& options) {
  std::vector<Scenario> scenarios;
  if (options.random > 0) {
    for (std::size_t i = 0; i < options.count; ++i) {
      scenarios.push_back(sim::random_scenario(options.random + i, features(options)));
      fmt::print("{}\n", scenarios.back().describe());
    }
    return scenarios;
  }
  if (options.family > 0) {
    scenarios.push_back(sim::family_scenario(options.family));
    fmt::print("{}\n", scenarios.back().describe());
    return scenarios;
  }
  scenarios = sim::scenarios();
  if (options.names.empty()) return scenarios;
  for (auto& scenario : sim::scenarios_beside_others()) scenarios.push_back(std::move(scenario));
  std::erase_if(scenarios, [&](const Scenario& scenario) {
    return std::ranges::none_of(options.names, [&](const std::string& part) {
      return scenario.name.find(part) != std::string::npos;
    });
  });
  return scenarios;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Compares the policies over simulated links."};
  app.add_option("scenario", options.names,
                 "Runs the scenarios whose names contain one of these, and those of `sim_family "
                 "--beside`; without names, all but those");
  app.add_option(
         "--policy", options.policies,
         "Policies: off itcp dbr delivery gcc pudica camel vidaptive symbiosis floor oracle")
      ->capture_default_str();
  app.add_option("--seeds", options.seeds, "Number of seeds for each row")->capture_default_str();
  app.add_option("--first-seed", options.first_seed, "First seed")->capture_default_str();
  app.add_option("--percentile", options.percentile, "Percentile of the seeds that is printed")
      ->capture_default_str();
  app.add_option("--random", options.random,
                 "Runs the random link of this seed instead of scenarios");
  app.add_option("--count", options.count, "Number of random links, from that seed on")
      ->capture_default_str();
  app.add_option("--family", options.family, "Runs the link of `sim_family` with this seed");
  app.add_option("--congestion-control", options.control,
                 "Congestion control of the viewers, in place of the link's")
      ->check(CLI::IsMember{{"cubic", "bbr", "auto"}});
  app.add_option("--without", options.without,
                 "Features that random links must not have: loss steps others rough");
  app.add_option("--viewers", options.viewers, "Number of viewers; 0 keeps the scenario's");
  app.add_flag("--shared", options.shared,
               "Samples the viewers as in a group with others: seldom while they are calm");
  app.add_flag("--unwatched", options.unwatched,
               "Does not let the kernel watch the round trip of calm viewers");
  app.add_option("--ceiling", options.ceiling,
                 "Highest rate of a viewer as a share of the link's rate at the start; 0 keeps it");
  app.add_option("--content", options.content,
                 "Most that the content needs, in Mbit/s; 0 sets no limit");
  app.add_flag("--trace", options.trace, "Prints every decision for one viewer");
  app.add_option("--flow", options.flow, "Viewer that --trace prints, from 0")
      ->capture_default_str();
  app.add_option("--from", options.from, "Second from which --trace prints")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  auto scenarios = chosen(options);
  for (auto& scenario : scenarios) adapt(scenario, options);
  print_head(options.percentile);
  const auto start = std::chrono::steady_clock::now();
  double simulated = 0;
  for (const auto& scenario : scenarios) simulated += print_scenario(scenario, options);
  const auto took = std::chrono::steady_clock::now() - start;
  fmt::print("\n{:.0f} s simulated, {:.0f} per second\n", simulated,
             simulated / base::seconds(took));
}
