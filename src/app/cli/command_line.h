#pragma once

#include <string>
#include <variant>

#include "app/config/config.h"
#include "app/top/top_options.h"

namespace app {

/// The parsed command line.
struct CommandLine {
  enum class Command { kServe, kCheck, kDoctor, kTop };

  Command command = Command::kServe;
  std::string config_path = {};  ///< empty for the built-in configuration
  Overrides overrides = {};      ///< for serve; top uses only `listen`
  bool show = false;             ///< check: print the configuration in effect
  bool reference = false;        ///< check: print config/symcast.toml
  TopOptions top = {};
};

/// Nothing to run: help or version was requested (code 0), or the usage is wrong (code 2).
struct Exit {
  int code = 0;
  std::string out;  ///< for standard output
  std::string err;  ///< for standard error
};

std::variant<CommandLine, Exit> parse_command_line(int argc, const char* const* argv);

}  // namespace app
