#pragma once

#include <string>

#include "app/config/config_value.h"

namespace app {

/// Reads a TOML 1.0 file. Throws ConfigError if it cannot be read or is not TOML.
Value::Table parse_toml(const std::string& path);

}  // namespace app
