#pragma once

#include <string>
#include <string_view>

#include "app/config/config_value.h"

namespace app {

enum class TomlContent { kSettings, kSecrets };

/// Reads TOML 1.0. Throws ConfigError if `text` is not TOML; for secrets, without words of it.
/// `path`: of the file, for errors and places.
Value::Table parse_toml(std::string_view text, const std::string& path,
                        TomlContent content = TomlContent::kSettings);

/// The same for a file. Throws ConfigError also if it cannot be read.
Value::Table parse_toml_file(const std::string& path, TomlContent content = TomlContent::kSettings);

}  // namespace app
