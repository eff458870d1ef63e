#pragma once

#include <string>

#include "app/config/config.h"

namespace app {

/// The text of config/symcast.toml: every key, documented and commented out at its built-in value.
std::string reference_config();

/// The configuration in effect as TOML: every key of every stream. Loads to the same configuration.
std::string effective_config(const Config& config);

}  // namespace app
