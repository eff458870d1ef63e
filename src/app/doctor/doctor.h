#pragma once

#include <iosfwd>
#include <string_view>

#include "app/config/config.h"

namespace app {

/// `symcast doctor`: says what this machine offers to a server with `config`, and how to mend what
/// it lacks. False when something needed is missing. `version`: of symcast, the first line.
bool doctor(const Config& config, std::string_view version, std::ostream& out, bool colour);

}  // namespace app
