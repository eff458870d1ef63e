#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <variant>

#include "app/cli/check.h"
#include "app/cli/command_line.h"
#include "app/config/version.h"
#include "app/doctor/doctor.h"
#include "app/serve.h"
#include "app/top/top.h"
#include "base/termination.h"

namespace {

constexpr int kExitSuccess = 0;
constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;

// https://no-color.org
bool use_colour() { return ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr; }

/// Ends the process without the destructors of static objects: libsrt's own thread goes on when the
/// last source has ended, and would use what they destroy. Sanitizers report in such a destructor.
[[noreturn]] void end_process(int code) {
  std::cout.flush();
#ifdef SYMCAST_SANITIZED
  std::exit(code);
#else
  std::_Exit(code);
#endif
}

int run(const app::CommandLine& line) {
  const auto load = [&line] { return app::load_config(line.config_path, line.overrides); };
  switch (line.command) {
    case app::CommandLine::Command::kServe:
      end_process(app::serve(load(), load));
    case app::CommandLine::Command::kCheck:
      app::check(line, std::cout);
      return kExitSuccess;
    case app::CommandLine::Command::kDoctor:
      return app::doctor(load(), app::kVersion, std::cout, use_colour()) ? kExitSuccess
                                                                         : kExitFailure;
    case app::CommandLine::Command::kTop:
      app::top(load(), line.top, std::cout);
      return kExitSuccess;
  }
  return kExitUsage;
}

}  // namespace

int main(int argc, char** argv) {
  base::explain_termination();
  const auto parsed = app::parse_command_line(argc, argv);
  if (const auto* exit = std::get_if<app::Exit>(&parsed)) {
    std::cout << exit->out;
    std::cerr << exit->err;
    return exit->code;
  }
  try {
    return run(std::get<app::CommandLine>(parsed));
  } catch (const app::ConfigError& error) {
    std::cerr << error.what() << '\n';
    return kExitUsage;
  } catch (const std::exception& error) {
    std::cerr << "symcast: " << error.what() << '\n';
    return kExitFailure;
  }
}
