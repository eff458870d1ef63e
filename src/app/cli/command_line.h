#pragma once

#include <string>
#include <variant>

#include "app/config/config.h"
#include "app/top/top_options.h"

namespace app {

/// What the user asked for.
struct CommandLine {
  enum class Command { kServe, kCheck, kDoctor, kTop };

  Command command = Command::kServe;
  std::string config_path = {};  ///< empty: built-in configuration
  Overrides overrides = {};      ///< serve; of top, listen
  bool show = false;             ///< check: print the configuration in effect
  bool reference = false;        ///< check: print config/symcast.toml
  TopOptions top = {};
};

/// Nothing to run: the help or version that was asked for (code 0), or a usage error (code 2).
struct Exit {
  int code = 0;
  std::string out;  ///< for standard output
  std::string err;  ///< for standard error
};

std::variant<CommandLine, Exit> parse_command_line(int argc, const char* const* argv);

}  // namespace app
