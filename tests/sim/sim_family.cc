// Prints how policies do over the family of links; see --help.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "abr/networks/network_history.h"
#include "family.h"
#include "figures.h"

namespace {

using base::Duration;
using sim::Scenario;

constexpr Duration kPlayout = std::chrono::milliseconds{500};

struct Options {
  std::vector<std::string> policies{"symbiosis", "gcc", "dbr", "delivery"};
  std::vector<std::string> controls{};
  std::size_t count = 300;
  bool tuning = false;
  std::string traces;
  std::size_t worst = 0;
  unsigned visits = 1;
  bool beside = false;
  bool faint = false;
  bool short_queues = false;
  std::uint64_t seed = 1;
};

/// The results of a policy on one link.
struct Result {
  const Scenario* scenario;
  double share = 0;   ///< of the rate of a sender that knows the capacity, in percent
  double beyond = 0;  ///< ms by which p95 exceeds that of a sender that learns it a round trip late
  double p95 = 0;     ///< ms
  double stalls = 0;  ///< ms per minute
  double floor_stalls = 0;  ///< the same of that sender
  double silence = 0;       ///< ms per minute for which the audio stands still
  double resent = 0;        ///< segments sent again, of 1000
  double fairness = 1;
  double quality = 0;  ///< mean QoE_log of the viewers
};

/// One kind of sender on all links.
struct Sender {
  std::string name;
  std::string policy;
  std::optional<std::string> control;  ///< nullopt: each link's own
};

struct Group {
  std::string name;
  std::function<bool(const Scenario&)> has;
};

bool beside(const Scenario& scenario, bool pages) {
  return !scenario.others.empty() && scenario.others.front().web.has_value() == pages;
}

const std::vector<Group> kGroups{
    {"all", [](const Scenario&) { return true; }},
    {"alone", [](const Scenario& s) { return s.viewers == 1 && s.others.empty(); }},
    {"beside long flows", [](const Scenario& s) { return beside(s, false); }},
    {"beside pages", [](const Scenario& s) { return beside(s, true); }},
    {"several viewers", [](const Scenario& s) { return s.viewers > 1; }},
    {"bursts of loss", [](const Scenario& s) { return s.link.burst_enter > 0; }},
    {"random loss", [](const Scenario& s) { return s.link.loss > 0; }},
    {"token bucket", [](const Scenario& s) { return s.link.bucket.bytes() > 0; }},
    {"CoDel", [](const Scenario& s) { return s.link.codel && !s.link.fair; }},
    {"FQ-CoDel", [](const Scenario& s) { return s.link.fair; }},
    {"steps", [](const Scenario& s) { return !s.changes.empty(); }},
};

const std::map<std::string, abr::PolicyKind> kPolicies{{"off", abr::PolicyKind::kOff},
                                                       {"itcp", abr::PolicyKind::kItcp},
                                                       {"dbr", abr::PolicyKind::kDbr},
                                                       {"delivery", abr::PolicyKind::kDelivery},
                                                       {"gcc", abr::PolicyKind::kGcc},
                                                       {"pudica", abr::PolicyKind::kPudica},
                                                       {"camel", abr::PolicyKind::kCamel},
                                                       {"vidaptive", abr::PolicyKind::kVidaptive},
                                                       {"symbiosis", abr::PolicyKind::kSymbiosis}};

double ms(Duration time) { return 1e3 * base::seconds(time); }

struct Run {
  sim::Figures figures;
  double stalls = 0;   ///< ms per minute, of the viewer with the most
  double silence = 0;  ///< the same of the audio
  double resent = 0;   ///< segments sent again, of 1000
  double quality = 0;
};

/// A link that viewers visit once per hour, and what their "auto" has learned of it.
class VisitedLink {
 public:
  void begin(Scenario& scenario, std::uint64_t visit) {
    if (scenario.viewer.congestion_control != "auto") return;
    scenario.begin.clear();
    for (std::size_t i = 0; i < scenario.viewers; ++i) {
      scenario.begin.emplace_back(abr::name(history_.start(kNetwork, time(visit)).control));
    }
  }
  void end(sim::Simulation& simulation, const Scenario& scenario, std::uint64_t visit) {
    for (std::size_t i = 0; i < scenario.viewers; ++i) {
      for (const auto control : {abr::CongestionControl::kBbr, abr::CongestionControl::kCubic}) {
        history_.add(kNetwork, control, simulation.session(i)->experienced(control), time(visit));
      }
    }
  }

 private:
  static abr::NetworkHistory::Time time(std::uint64_t visit) {
    return abr::NetworkHistory::Time{std::chrono::days{20'000} + std::chrono::hours{visit}};
  }

  static inline const base::Network kNetwork{};
  abr::NetworkHistory history_{1};
};

/// Of our viewers' segments, from the start on.
double resent(const sim::Simulation& simulation, const Scenario& scenario) {
  double again = 0;
  double delivered = 0;
  for (std::size_t i = 0; i < scenario.viewers; ++i) {
    const auto& state = simulation.sender(i).state();
    again += state.retransmits;
    delivered += static_cast<double>(state.delivered.bytes()) / sim::TcpSender::kMss;
  }
  return 1000 * again / delivered;
}

Run run(const Scenario& scenario, const sim::MakePolicy& policy, std::uint64_t seed,
        VisitedLink* visited = nullptr) {
  auto simulation = sim::simulate(scenario, policy, seed);
  simulation.run(scenario.length);
  if (visited) visited->end(simulation, scenario, seed);
  const auto viewings = sim::view_all(simulation, scenario);
  Run result{.figures = sim::summarise(viewings), .resent = resent(simulation, scenario)};
  const auto interval = sim::VideoSession::Settings{}.frame_interval;
  for (const auto& viewing : viewings) {
    const auto per_minute = [&](const std::vector<Duration>& delays) {
      return ms(sim::stalled(delays, interval, kPlayout)) * 60 / base::seconds(viewing.length);
    };
    result.stalls = std::max(result.stalls, per_minute(viewing.delays));
    result.silence = std::max(result.silence, per_minute(viewing.audio_delays));
    const auto quality =
        sim::quality_of_experience(viewing, scenario.limits.min, interval, kPlayout);
    result.quality += quality / static_cast<double>(viewings.size());
  }
  return result;
}

Result judge(const Scenario& link, const Sender& sender, VisitedLink& visited,
             std::uint64_t visit) {
  auto scenario = link;
  scenario.viewer.congestion_control = sender.control.value_or(scenario.viewer.congestion_control);
  const auto policy = sim::policy_of(kPolicies.at(sender.policy));
  const auto floor = run(scenario, sim::oracle(true), visit);
  visited.begin(scenario, visit);
  const auto own = run(scenario, policy, visit, &visited);
  return {.scenario = &link,
          .share = 100 * (own.figures.rate / sim::oracle_rate(scenario)),
          .beyond = ms(own.figures.p95 - floor.figures.p95),
          .p95 = ms(own.figures.p95),
          .stalls = own.stalls,
          .floor_stalls = floor.stalls,
          .silence = own.silence,
          .resent = own.resent,
          .fairness = own.figures.fairness,
          .quality = own.quality};
}

/// The value of the median link, of the 10th worst of 100, and of the worst of 100.
std::string spread(std::vector<double> values, bool more_is_worse) {
  if (!more_is_worse) std::ranges::for_each(values, [](double& value) { value = -value; });
  const auto sign = more_is_worse ? 1 : -1;
  const auto at = [&](double share) { return sign * sim::percentile(values, share); };
  return fmt::format("{:>8.0f}{:>7.0f}{:>7.0f}", at(0.5), at(0.9), at(0.99));
}

/// The mean, the value of the median link, and of the 10th worst of 100.
std::string qualities(const std::vector<double>& values) {
  const auto sum = std::accumulate(values.begin(), values.end(), 0.0);
  return fmt::format("{:>8.3f}{:>7.2f}{:>7.2f}", sum / static_cast<double>(values.size()),
                     sim::percentile(values, 0.5), sim::percentile(values, 0.1));
}

void print_group(const Group& group, const std::string& sender,
                 const std::vector<Result>& results) {
  std::vector<double> share, beyond, stalls, floor_stalls, silence, resent, fairness, quality;
  for (const auto& result : results) {
    if (!group.has(*result.scenario)) continue;
    share.push_back(result.share);
    beyond.push_back(result.beyond);
    stalls.push_back(result.stalls);
    floor_stalls.push_back(result.floor_stalls);
    silence.push_back(result.silence);
    resent.push_back(result.resent);
    quality.push_back(result.quality);
    if (result.scenario->viewers > 1) fairness.push_back(100 * result.fairness);
  }
  if (share.empty()) return;
  fmt::print("{:<19}{:>5}  {:<16}{} |{} |{} |{} |{} |{} |{} |{}\n", group.name, share.size(),
             sender, spread(share, false), spread(beyond, true), spread(stalls, true),
             spread(floor_stalls, true), spread(silence, true), spread(resent, true),
             qualities(quality), fairness.empty() ? "" : spread(fairness, false));
}

void print_head() {
  fmt::print(
      "Each column has the value of the median link, of the 10th worst of 100, and of the worst of "
      "100.\n"
      "share    of the rate of a sender that knows the capacity and takes its fair share, in %\n"
      "beyond   ms of p95 delay beyond that of a sender that learns the capacity a round trip "
      "late\n"
      "stalls   ms per minute for which the picture stands still with {0:.0f} ms of playout\n"
      "floor    the same of that sender\n"
      "audio    ms per minute for which the audio stands still with {0:.0f} ms of playout\n"
      "resent   segments that are sent again, of 1000\n"
      "QoE      QoE_log (figures.h) with {0:.0f} ms of playout: the mean of all links, the median, "
      "and the 10th worst of 100\n"
      "Jain     fairness among our viewers, in %\n\n",
      ms(kPlayout));
  fmt::print("{:<19}{:>5}  {:<16}{:>22} |{:>22} |{:>22} |{:>22} |{:>22} |{:>22} |{:>22} |{:>22}\n",
             "links", "", "sender", "share", "beyond", "stalls", "floor", "audio", "resent", "QoE",
             "Jain");
}

void print_worst(std::vector<Result> results, std::size_t count) {
  const auto print = [&](const char* what, double Result::*member, bool more_is_worse) {
    std::ranges::sort(results, {}, [=](const Result& result) {
      return more_is_worse ? -(result.*member) : result.*member;
    });
    fmt::print("\nWorst {}: share, delay beyond, stalls, resent, QoE\n", what);
    for (const auto& result : std::span{results}.first(std::min(count, results.size()))) {
      fmt::print("{:>6.0f} %{:>7.0f} ms{:>7.0f} ms{:>6.0f}{:>6.2f}  {}\n", result.share,
                 result.beyond, result.stalls, result.resent, result.quality,
                 result.scenario->describe());
    }
  };
  print("share", &Result::share, false);
  print("delay", &Result::beyond, true);
  print("resent", &Result::resent, true);
  print("QoE", &Result::quality, false);
}

void print_beside(const std::string& sender, const std::vector<Result>& results) {
  for (const auto& result : results) {
    fmt::print("{:<16} {:<24}{:>5.0f} %{:>7.0f} ms, floor{:>6.0f} ms\n", sender,
               result.scenario->name, result.share, result.p95, result.p95 - result.beyond);
  }
}

std::vector<Scenario> chosen(const Options& options) {
  if (options.beside) return sim::scenarios_beside_others();
  std::vector<Scenario> scenarios;
  if (!options.traces.empty()) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator{options.traces}) {
      if (entry.path().extension() == ".txt") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const auto& file : files) scenarios.push_back(sim::recorded_scenario(file));
    return scenarios;
  }
  const auto first = options.tuning ? 1 : sim::kFirstReportedSeed;
  for (std::size_t i = 0; i < options.count; ++i) {
    const auto seed = first + i;
    scenarios.push_back(options.short_queues ? sim::short_queue_scenario(seed)
                        : options.faint      ? sim::faint_scenario(seed)
                                             : sim::family_scenario(seed));
  }
  return scenarios;
}

std::vector<Sender> senders_of(const Options& options) {
  std::vector<Sender> senders;
  for (const auto& policy : options.policies) {
    if (options.controls.empty()) senders.push_back({policy, policy, {}});
    for (const auto& control : options.controls) {
      senders.push_back({policy + " " + control, policy, control});
    }
  }
  return senders;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Prints how policies do over a family of links that are drawn from wide ranges."};
  app.add_option("--policy", options.policies,
                 "Policies: off itcp dbr delivery gcc pudica camel vidaptive symbiosis")
      ->capture_default_str()
      ->check(CLI::IsMember{kPolicies});
  app.add_option("--congestion-control", options.controls,
                 "Congestion controls of the viewers on every link, in place of the link's own")
      ->check(CLI::IsMember{{"cubic", "bbr", "auto"}});
  app.add_option("--count", options.count, "Number of links")->capture_default_str();
  app.add_flag("--tuning", options.tuning,
               "Takes the links for making rules, not those for measuring them");
  app.add_option("--seed", options.seed, "Of what links and encoders draw")->capture_default_str();
  app.add_option("--traces", options.traces,
                 "Takes the recorded links in this folder: files with lines of `time_ms rate_kbps`")
      ->check(CLI::ExistingDirectory);
  app.add_option("--worst", options.worst,
                 "Also prints the worst links of each policy: their number");
  app.add_option("--visits", options.visits,
                 "How often viewers come to each link; \"auto\" learns from visit to visit")
      ->capture_default_str();
  app.add_flag("--faint", options.faint, "Takes links that fade to little more than the audio");
  app.add_flag("--short-queues", options.short_queues,
               "Takes links with a queue of 5 to 20 packets");
  app.add_flag("--beside", options.beside,
               "Takes one viewer beside long flows, and prints each link");
  CLI11_PARSE(app, argc, argv);
  std::vector<Scenario> scenarios;
  try {
    scenarios = chosen(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sim_family: {}\n", error.what());
    return 1;
  }
  const auto senders = senders_of(options);
  std::map<std::string, std::vector<Result>> results;
  for (const auto& sender : senders) {
    for (const auto& scenario : scenarios) {
      VisitedLink visited;
      for (unsigned visit = 0; visit < options.visits; ++visit) {
        results[sender.name].push_back(judge(scenario, sender, visited, options.seed + visit));
      }
    }
  }
  if (options.beside) {
    for (const auto& sender : senders) print_beside(sender.name, results[sender.name]);
    return 0;
  }
  print_head();
  for (const auto& group : kGroups) {
    for (const auto& sender : senders) print_group(group, sender.name, results[sender.name]);
  }
  if (options.worst == 0) return 0;
  for (const auto& sender : senders) {
    fmt::print("\n{}", sender.name);
    print_worst(results[sender.name], options.worst);
  }
}
