#pragma once

#include <string>

#include "app/config/config_value.h"

namespace app {

enum class TomlContent { kSettings, kSecrets };

/// Reads a TOML 1.0 file. Throws ConfigError if it cannot be read or is not TOML; for secrets,
/// without words of the file.
Value::Table parse_toml(const std::string& path, TomlContent content = TomlContent::kSettings);

}  // namespace app
