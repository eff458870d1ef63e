// Two or more network namespaces joined by links, whose rate, delay, queue and loss can change
// live. Works on kernels without netem, and does not touch the machine's own network.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <sstream>

#include "netlab/emulator.h"
#include "netlab/real_time.h"
#include "netlab/self_check.h"

namespace {

std::string assignments_error(const std::string& text) {
  const auto settings = netlab::assign({}, text);
  return settings ? "" : settings.error();
}

/// Parses a list such as "0,2", or "none".
std::vector<std::size_t> indices(const std::string& text, std::size_t links) {
  std::vector<std::size_t> found;
  if (text == "none") return found;
  std::istringstream words{text};
  for (std::string word; std::getline(words, word, ',');) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (error != std::errc{} || end != word.data() + word.size() || index >= links ||
        (!found.empty() && index <= found.back())) {
      throw std::runtime_error{"--through: not links of --shared in rising order: " + text};
    }
    found.push_back(index);
  }
  return found;
}

netlab::Emulator::Settings make_settings(std::size_t clients, const std::string& down,
                                         const std::string& up,
                                         const std::vector<std::string>& shared,
                                         const std::vector<std::string>& through,
                                         std::uint64_t seed, bool alike,
                                         const std::vector<std::string>& schedule) {
  netlab::Emulator::Settings settings{.clients = clients,
                                      .down = *netlab::assign({}, down),
                                      .up = *netlab::assign({}, up),
                                      .shared = {},
                                      .through = {},
                                      .seed = seed,
                                      .alike = alike,
                                      .schedule = {}};
  for (const std::string& link : shared) settings.shared.push_back(*netlab::assign({}, link));
  if (through.size() > clients) throw std::runtime_error{"--through: more than --clients"};
  for (const std::string& links : through) {
    settings.through.push_back(indices(links, shared.size()));
  }
  for (std::size_t i = 0; i + 1 < schedule.size(); i += 2) {
    const auto time = netlab::parse_duration(schedule[i]);
    const auto command = netlab::parse_command(schedule[i + 1]);
    if (!time) throw std::runtime_error{"--at: not a time: " + schedule[i]};
    if (!command) throw std::runtime_error{"--at: " + command.error()};
    settings.schedule.emplace_back(*time, *command);
  }
  return settings;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App cli{"Emulated links between a server's and its clients' network namespaces"};
  std::size_t clients = 1;
  std::string down, up;
  std::vector<std::string> shared, through;
  std::uint64_t seed = 1;
  std::vector<std::string> schedule;
  bool alike = false;
  bool check = false;
  cli.add_option("--clients", clients, "client namespaces, each behind a link of its own")
      ->check(CLI::Range(1, 200));
  cli.add_option("--down", down, "server to client, e.g. \"rate=5M delay=20ms queue=32k\"")
      ->check(assignments_error);
  cli.add_option("--up", up, "client to server")->check(assignments_error);
  cli.add_option("--shared", shared,
                 "one more link, before the clients' own on the way down; repeatable: a series")
      ->check(assignments_error)
      ->allow_extra_args(false);
  cli.add_option(
         "--through", through,
         "which shared links a client's path passes, \"0,1\" or \"none\"; repeatable, in the "
         "clients' order [all]")
      ->allow_extra_args(false);
  cli.add_option("--seed", seed, "of random losses and jitter");
  cli.add_flag("--alike", alike, "the same random losses and jitter for every client");
  cli.add_option("--at", schedule, "TIME COMMAND: a command given at a time, repeatable")
      ->type_size(2)
      ->expected(1, 1000);
  cli.add_flag("--self-check", check, "measure the emulator, print how exact it is");
  CLI11_PARSE(cli, argc, argv);

  netlab::become_real_time();
  if (check) return netlab::self_check(std::cout) ? 0 : 1;
  netlab::Emulator emulator{
      make_settings(clients, down, up, shared, through, seed, alike, schedule)};
  std::cout << emulator.description() << std::endl;
  emulator.run(STDIN_FILENO, std::cout);
  std::cout << emulator.counters() << std::endl;
  return 0;
} catch (const std::exception& error) {
  std::cerr << "link_emulator: " << error.what() << '\n';
  return 1;
}
