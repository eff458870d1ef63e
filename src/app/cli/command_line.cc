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

constexpr int kUsageError = 2;

constexpr auto kDescription =
    "symcast: live streaming whose video encoder listens to every viewer's TCP connection.";

constexpr auto kFooter = R"(
Examples:
  symcast serve                                    the built-in test frame,
                                                   http://localhost:8080/live.ts
  symcast serve --source cam=rtsp://192.0.2.10/main
  symcast serve --source film=file:/srv/film.mkv --listen 127.0.0.1:9000
  symcast serve --config /etc/symcast/symcast.toml
  symcast check /etc/symcast/symcast.toml          find mistakes before a reload
  symcast doctor                                   what this machine offers
  symcast top                                      viewers' connections, live

Exit status: 0 fine, 1 failed while running, 2 wrong usage or configuration.
See symcast(1) and the comments in symcast.toml.)";

void add_listen(CLI::App& command, const char* description, CommandLine& parsed) {
  command.add_option("--listen", parsed.overrides.listen, description)
      ->type_name("ADDR:PORT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_serve(CLI::App& app, CommandLine& parsed) {
  auto* serve = app.add_subcommand("serve", "Take in sources and serve viewers");
  auto& overrides = parsed.overrides;
  serve->add_option("--config", parsed.config_path, "Configuration; the flags below override it")
      ->type_name("FILE");
  add_listen(*serve, "Where viewers connect; repeat for more\n[default: [::]:8080, IPv4 as well]",
             parsed);
  serve
      ->add_option("--source", overrides.sources,
                   "Serve URI as /NAME.ts, .flv and .mp4; repeat\n"
                   "for more. test:, file:PATH, gst:LAUNCH TEXT, or\n"
                   "any that GStreamer plays (rtsp, rtmp, srt, http)")
      ->type_name("NAME=URI")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  serve
      ->add_option("--policy", overrides.policy, "What the connection does to the rate [symbiosis]")
      ->type_name("symbiosis|itcp|...|off");
  serve
      ->add_option("--congestion-control", overrides.congestion_control,
                   "Of every viewer [the kernel's default]")
      ->type_name("NAME");
  serve->add_option("--trace", overrides.trace_directory, "Write a trace of each session to DIR")
      ->type_name("DIR");
  serve->add_option("--log-level", overrides.log_level, "debug, info, warning or error [info]")
      ->type_name("LEVEL");
  serve->callback([&] { parsed.command = CommandLine::Command::kServe; });
}

void add_check(CLI::App& app, CommandLine& parsed) {
  auto* check = app.add_subcommand("check", "Check a configuration; every mistake in one line");
  auto* file = check->add_option("FILE", parsed.config_path, "Configuration")->type_name("");
  check->add_flag("--show", parsed.show, "Print every setting in effect");
  auto* reference =
      check->add_flag("--reference", parsed.reference, "Print the file that explains every key");
  check->callback([&parsed, file, reference] {
    parsed.command = CommandLine::Command::kCheck;
    if (file->empty() && reference->empty()) throw CLI::RequiredError{"FILE"};
  });
}

void add_doctor(CLI::App& app, CommandLine& parsed) {
  auto* doctor = app.add_subcommand("doctor", "Say what this machine offers and lacks");
  doctor->add_option("--config", parsed.config_path, "Check for the needs of this one")
      ->type_name("FILE");
  doctor->callback([&] { parsed.command = CommandLine::Command::kDoctor; });
}

/// Faster than a person reads it is a load; slower than an hour it is forgotten.
base::Duration read_interval(const std::string& text) {
  using namespace std::chrono_literals;
  const auto interval = parse_duration(text);
  if (interval && *interval >= 100ms && *interval <= 1h) return *interval;
  throw CLI::ValidationError{"--interval", text + " is not a time from 100ms to 1h"};
}

constexpr auto kSortKeys = "trouble|rate|rtt|retransmits|unsent";

SortKey read_sort_key(const std::string& text) {
  if (text == "trouble") return SortKey::kTrouble;
  if (text == "rate") return SortKey::kRate;
  if (text == "rtt") return SortKey::kRtt;
  if (text == "retransmits") return SortKey::kRetransmits;
  if (text == "unsent") return SortKey::kUnsent;
  throw CLI::ValidationError{"--sort", text + " is none of " + kSortKeys};
}

void add_top(CLI::App& app, CommandLine& parsed) {
  auto* top = app.add_subcommand("top", "Show the viewers' TCP connections; q ends it");
  auto& options = parsed.top;
  top->add_option("--config", parsed.config_path, "Show those of this one's server")
      ->type_name("FILE");
  add_listen(*top, "Where its viewers connect, as of serve", parsed);
  top->add_option_function<std::string>(
         "--interval", [&](const auto& text) { options.interval = read_interval(text); },
         "Between tables, and what changes are of [1s]")
      ->type_name("TIME");
  top->add_option_function<std::string>(
         "--sort", [&](const auto& text) { options.sort = read_sort_key(text); },
         "Who comes first [trouble]")
      ->type_name(kSortKeys);
  top->add_flag("--once", options.once, "Print one table and end");
  top->callback([&] { parsed.command = CommandLine::Command::kTop; });
}

/// "did you mean --source?" for a misspelt flag of the command in use; empty when none is near.
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
  CLI::App app{kDescription, "symcast"};
  CommandLine parsed;
  app.set_version_flag("--version", std::string{"symcast "} + kVersion);
  app.footer(kFooter);
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  add_serve(app, parsed);
  add_check(app, parsed);
  add_doctor(app, parsed);
  add_top(app, parsed);
  try {
    app.parse(argc, argv);
    return parsed;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err) == 0 ? 0 : kUsageError;
    return Exit{code, out.str(), hint(app) + err.str()};
  }
}

}  // namespace app
