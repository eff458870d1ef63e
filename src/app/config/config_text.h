#pragma once

#include <string>

#include "app/config/config.h"

namespace app {

/// config/symcast.toml: every key with its documentation, commented out at its built-in value.
std::string reference_config();

/// The configuration in effect, every key of every stream, as TOML that loads to the same.
std::string effective_config(const Config& config);

}  // namespace app
