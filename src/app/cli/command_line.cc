#include "app/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/config/config_units.h"
#include "app/config/nearest.h"
#include "app/config/version.h"

namespace app {

namespace {

constexpr int kUsageExitCode = 2;

constexpr auto kProgramDescription =
    "symcast: live streaming server whose video encoder listens to every viewer's TCP connection.";

constexpr auto kHelpFooter = R"(
Examples:
  symcast serve                                    serve the built-in test picture at
                                                   http://localhost:8080/live.ts
  symcast serve --source cam=rtsp://192.0.2.10/main
  symcast serve --source film=file:/srv/film.mkv --listen 127.0.0.1:9000
  symcast serve --config /etc/symcast/symcast.toml
  symcast check /etc/symcast/symcast.toml          find mistakes before a reload
  symcast doctor                                   show what this machine supports
  symcast top                                      watch the viewers' connections

Exit status: 0 success, 1 failure while running, 2 wrong usage or configuration.
See symcast(1) and the comments in symcast.toml.)";

void add_listen(CLI::App& command, const char* description, CommandLine& parsed) {
  command.add_option("--listen", parsed.overrides.listen, description)
      ->type_name("ADDR:PORT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_serve(CLI::App& app, CommandLine& parsed) {
  auto* serve = app.add_subcommand("serve", "Run the server");
  auto& overrides = parsed.overrides;
  serve->add_option("--config", parsed.config_path, "Read this configuration; flags override it")
      ->type_name("FILE");
  add_listen(*serve, "Listen on this address; repeat for more\n[default: [::]:8080, IPv6 and IPv4]",
             parsed);
  serve
      ->add_option("--source", overrides.sources,
                   "Serve URI as stream NAME; repeat for more.\n"
                   "URI is test:, file:PATH, gst:LAUNCH TEXT, or\n"
                   "any that GStreamer plays (rtsp, rtmp, srt, http)")
      ->type_name("NAME=URI")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  serve->add_option("--policy", overrides.policy, "How the rate follows the connection [symbiosis]")
      ->type_name("symbiosis|itcp|off");
  serve
      ->add_option("--congestion-control", overrides.congestion_control,
                   "TCP congestion control of all viewers [kernel default]")
      ->type_name("NAME");
  serve
      ->add_option("--trace", overrides.trace_directory,
                   "Write a trace of each viewer session to DIR")
      ->type_name("DIR");
  serve
      ->add_option("--log-level", overrides.log_level,
                   "Least severe level: debug, info, warning, error [info]")
      ->type_name("LEVEL");
  serve->callback([&] { parsed.command = CommandLine::Command::kServe; });
}

void add_check(CLI::App& app, CommandLine& parsed) {
  auto* check = app.add_subcommand("check", "Check a configuration; print one line per mistake");
  auto* file =
      check->add_option("FILE", parsed.config_path, "Configuration to check")->type_name("");
  check->add_flag("--show", parsed.show, "Print all settings in effect");
  auto* reference = check->add_flag("--reference", parsed.reference,
                                    "Print a configuration that explains every key");
  check->callback([&parsed, file, reference] {
    parsed.command = CommandLine::Command::kCheck;
    if (file->empty() && reference->empty()) throw CLI::RequiredError{"FILE"};
  });
}

void add_doctor(CLI::App& app, CommandLine& parsed) {
  auto* doctor =
      app.add_subcommand("doctor", "Show what this machine supports and what is missing");
  doctor->add_option("--config", parsed.config_path, "Check what this configuration needs")
      ->type_name("FILE");
  doctor->callback([&] { parsed.command = CommandLine::Command::kDoctor; });
}

/// Below 100 ms the table is too fast to read and only loads the CPU; above an hour it is useless.
base::Duration read_interval(const std::string& text) {
  using namespace std::chrono_literals;
  const auto interval = parse_duration(text);
  if (interval && *interval >= 100ms && *interval <= 1h) return *interval;
  throw CLI::ValidationError{"--interval",
                             text + " is not a time between 100ms and 1h, such as 500ms or 5s"};
}

constexpr auto kSortKeyNames = "trouble|rate|rtt|retransmits|unsent";

SortKey read_sort_key(const std::string& text) {
  if (text == "trouble") return SortKey::kTrouble;
  if (text == "rate") return SortKey::kRate;
  if (text == "rtt") return SortKey::kRtt;
  if (text == "retransmits") return SortKey::kRetransmits;
  if (text == "unsent") return SortKey::kUnsent;
  throw CLI::ValidationError{"--sort", text + " is not one of " + kSortKeyNames};
}

void add_top(CLI::App& app, CommandLine& parsed) {
  auto* top = app.add_subcommand("top", "Show the viewers' TCP connections; press q to quit");
  auto& options = parsed.top;
  top->add_option("--config", parsed.config_path,
                  "Show the viewers of the server with this configuration")
      ->type_name("FILE");
  add_listen(*top, "Show the viewers of the server on this address", parsed);
  top->add_option_function<std::string>(
         "--interval", [&](const auto& text) { options.interval = read_interval(text); },
         "Time between tables [1s]")
      ->type_name("TIME");
  top->add_option_function<std::string>(
         "--sort", [&](const auto& text) { options.sort = read_sort_key(text); },
         "Sort by this column, highest first [trouble]")
      ->type_name(kSortKeyNames);
  top->add_flag("--once", options.once, "Print one table and exit");
  top->callback([&] {
    parsed.command = CommandLine::Command::kTop;
    parsed.overrides.secrets = Secrets::kNames;  // top needs only the addresses, and no rights
  });
}

/// "did you mean --source?" for a misspelt flag of the command in use; empty if none is similar.
std::string hint(const CLI::App& app) {
  for (const auto* command : app.get_subcommands()) {
    std::vector<std::string> flags;
    for (const auto* option : command->get_options()) flags.push_back(option->get_name());
    for (const auto& extra : command->remaining()) {
      const auto meant = extra.starts_with("-") ? nearest(extra, flags) : std::string{};
      if (!meant.empty()) return extra + ": did you mean " + meant + "?\n";
    }
  }
  return {};
}

}  // namespace

std::variant<CommandLine, Exit> parse_command_line(int argc, const char* const* argv) {
  CLI::App app{kProgramDescription, "symcast"};
  CommandLine parsed;
  app.set_version_flag("--version", std::string{"symcast "} + kVersion);
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  add_serve(app, parsed);
  add_check(app, parsed);
  add_doctor(app, parsed);
  add_top(app, parsed);
  app.footer(kHelpFooter);  // last: commands would inherit it
  try {
    app.parse(argc, argv);
    return parsed;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err) == 0 ? 0 : kUsageExitCode;
    return Exit{code, out.str(), hint(app) + err.str()};
  }
}

}  // namespace app
