#pragma once

#include <iosfwd>
#include <string_view>

#include "app/config/config.h"

namespace app {

/// `symcast doctor`: prints what this machine supports for a server with `config`, and how to add
/// what is missing. Returns false if something necessary is missing. `version`: symcast's, for the
/// first line.
bool doctor(const Config& config, std::string_view version, std::ostream& out, bool colour);

}  // namespace app
