#pragma once

#include <iosfwd>

#include "app/cli/command_line.h"

namespace app {

/// `symcast check`: prints "FILE: ok (...)" after a warning for each file that cannot be read now
/// and for a secrets.toml that everybody can read, or the configuration in effect, or the
/// reference. Throws ConfigError.
void check(const CommandLine& line, std::ostream& out);

}  // namespace app
