#pragma once

#include <iosfwd>

#include "app/config.h"

namespace app {

/// `symcast doctor`: says what this machine offers to a server with `config`, and how to mend what
/// it lacks. False when something needed is missing.
bool doctor(const Config& config, std::ostream& out, bool colour);

}  // namespace app
